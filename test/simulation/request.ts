import http, { type ClientRequest, type IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Whether lists show the change. */
  readonly isProjected: boolean;
  readonly bytes: Buffer;
  readonly text: string;
};

/**
 * Begins a request over a connection of its own, which goes on when its body ends. The answer rejects when that is lost; of
 * a success, `onText` is given each part as it comes.
 */
export const beginRequest = (
  createConnection: () => Socket,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  onText: (text: string) => void = () => undefined,
): { readonly request: ClientRequest; readonly answer: Promise<Answer> } => {
  const request = http.request({ method, path, headers, createConnection });
  const answer = new Promise<Answer>((resolve, reject) => {
    request.on('error', reject).on('response', (response) => {
      const chunks: Array<Buffer> = [];
      const status = response.statusCode ?? 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (status === 200) onText(chunk.toString());
      });
      response.on('error', reject).on('end', () => {
        const bytes = Buffer.concat(chunks);
        const { headers: answered } = response;
        const isProjected = answered['x-projected'] !== 'false';
        resolve({ status, headers: answered, isProjected, bytes, text: bytes.toString() });
      });
    });
  });
  return { request, answer };
};
