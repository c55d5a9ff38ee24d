import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeNews, type News } from './news.js';

/** A JWKS endpoint; what it does may be changed at any time. */
export type KeySetServer = {
  readonly uri: string;
  /** The keys it gives from now on. */
  keys: ReadonlyArray<unknown>;
  /** Answers instead of giving the keys. */
  respond: ((response: ServerResponse) => void) | undefined;
  /** Requests so far. */
  asked: number;
  /** Told of each request. */
  readonly news: News;
  readonly close: () => Promise<void>;
};

/** Listens on a free port of 127.0.0.1. */
export const startKeySetServer = async (): Promise<KeySetServer> => {
  const server = createServer((_, response) => {
    served.asked += 1;
    if (served.respond === undefined) response.end(JSON.stringify({ keys: served.keys }));
    else served.respond(response);
    served.news.tell();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // reason: a server that listens on a port has such an address
  const { port } = server.address() as AddressInfo;
  const served: KeySetServer = {
    uri: `http://127.0.0.1:${port}/keys`,
    keys: [],
    respond: undefined,
    asked: 0,
    news: makeNews(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return served;
};
