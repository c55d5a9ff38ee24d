import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** What Prism says of an answer, with the request that it was given to. */
type Violation = { readonly request: string; readonly status: number | undefined; readonly message: string };

export type Front = {
  readonly address: string;
  /** How many requests have gone through Prism. */
  readonly carried: () => number;
  readonly violations: () => ReadonlyArray<Violation>;
  readonly close: () => Promise<void>;
};

type Told = { readonly location: ReadonlyArray<string>; readonly message: string };

/** A header that became too long says so, and is cut. */
const toldIn = (header: string): ReadonlyArray<Told> =>
  // reason: Prism documents it so
  header.startsWith('[') ? (JSON.parse(header) as ReadonlyArray<Told>) : [{ location: ['response'], message: header }];

const isDecodable = (path: string): boolean => {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
};

/** What Prism cannot carry, whatever is in the description. */
const goesPast = ({ method, url = '', headers }: IncomingMessage): boolean => {
  const [path = ''] = url.split('?');
  return (
    // it reads the answer to it as JSON, and fails as there is none
    method === 'HEAD' ||
    // it exits
    !isDecodable(path) ||
    // it reads every other body as a text, and so loses bytes (stoplightio/prism#2376)
    !(headers['content-type'] ?? 'application/json').startsWith('application/json') ||
    // it reads an answer as a text, or as JSON where the file is that (stoplightio/prism#1321)
    /\/file$|^\/link\//.test(path) ||
    // it waits for the end of what has none
    headers.accept === 'text/event-stream'
  );
};

/** A path may end with a slash, which Prism takes for an empty parameter. */
const withoutSlash = (url: string): string => url.replace(/(?<=[^/])\/+(?=\?|$)/, '');

/** A server before Prism and the service, which keeps what Prism says; what Prism cannot carry goes past it. */
export const startFront = async (prism: string, service: string): Promise<Front> => {
  const violations: Array<Violation> = [];
  let carried = 0;

  const keep = ({ method = '', url = '' }: IncomingMessage, { statusCode, headers }: IncomingMessage): void => {
    const header = headers['sl-violations'];
    if (typeof header !== 'string') return;
    // a request may be one that is to be refused; only the answer is held to the description
    for (const { location, message } of toldIn(header).filter(({ location: [side] }) => side === 'response'))
      violations.push({
        request: `${method} ${url}`,
        status: statusCode,
        message: `${location.join('.')}: ${message}`,
      });
  };

  const forward = (asked: IncomingMessage, answer: ServerResponse): void => {
    const isPast = goesPast(asked);
    if (!isPast) carried += 1;
    const { method, url = '', headers } = asked;
    const to = request(isPast ? service + url : prism + withoutSlash(url), { method, headers });
    to.on('response', (answered) => {
      keep(asked, answered);
      const { 'sl-violations': _, ...rest } = answered.headers;
      answer.writeHead(answered.statusCode ?? 0, rest);
      pipeline(answered, answer, () => undefined);
    });
    to.on('error', () => answer.destroy());
    answer.on('close', () => to.destroy());
    pipeline(asked, to, () => undefined);
  };

  const server = createServer(forward).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // reason: it listens on TCP
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    carried: () => carried,
    violations: () => violations,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
