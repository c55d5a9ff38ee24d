import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A request as it goes out. `headers` are name, value, name, value …; they may repeat a name. */
export type Wire = {
  readonly method: string;
  /** From the root, or absolute, with its query; sent as it is. */
  readonly path: string;
  readonly headers: ReadonlyArray<string>;
  readonly body: Buffer | undefined;
};

export type HttpResponse = {
  readonly status: number;
  /** By name in small letters. */
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
};

export type Client = {
  /** Rejects when the connection is lost, or nothing has come for a while. */
  readonly send: (wire: Wire) => Promise<HttpResponse>;
  readonly close: () => void;
};

const SILENCE_MS = 30_000;

/** Sends requests over connections that are kept, and leaves them as they are: nothing is escaped or completed. */
export const makeClient = (baseUrl: string): Client => {
  const { hostname, port, host } = new URL(baseUrl);
  const agent = new Agent({ keepAlive: true });
  const send = ({ method, path, headers, body }: Wire): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      const outgoing = ['Host', host, ...headers];
      const sending = request({ hostname, port, method, path, headers: outgoing, agent, timeout: SILENCE_MS });
      sending.once('response', (response) => {
        const { statusCode: status = 0, headers: received } = response;
        buffer(response).then((bytes) => resolve({ status, headers: received, bytes }), reject);
      });
      // A connection that is closed behind the answer may still fail; that rejects nothing any more.
      sending.on('error', reject);
      sending.once('timeout', () => sending.destroy(new Error(`no answer within ${SILENCE_MS} ms`)));
      sending.end(body);
    });
  return { send, close: () => agent.destroy() };
};
