import http, { type ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

export type Answer = {
  readonly status: number;
  /** Whether lists show the change. */
  readonly isProjected: boolean;
  readonly text: string;
};

/** Begins a request over a connection of its own, which goes on when its body ends. The answer rejects when that is lost. */
export const beginRequest = (
  createConnection: () => Socket,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): { readonly request: ClientRequest; readonly answer: Promise<Answer> } => {
  const request = http.request({ method, path, headers, createConnection });
  const answer = new Promise<Answer>((resolve, reject) => {
    request.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', reject).on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          isProjected: response.headers['x-projected'] !== 'false',
          text,
        }),
      );
    });
  });
  return { request, answer };
};
