import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from '@20minutes/s3rver';
import type { S3Config } from '../../src/config.js';
import { makeNews } from './news.js';
import { answerGap } from './s3-gaps.js';

/** Stands between the wire and the server: answers a request itself, spoils it, holds it, or passes it on. */
export type Intercept = (request: http.IncomingMessage, response: http.ServerResponse, pass: () => void) => void;

export type S3Server = {
  readonly settings: S3Config;
  /** The same, for the environment of a process. */
  readonly env: Readonly<Record<string, string>>;
  /** `METHOD /path?query` of every request since the last call. */
  readonly takeRequests: () => ReadonlyArray<string>;
  readonly intercept: (intercept: Intercept | undefined) => void;
  /** Cuts all connections and refuses new ones, until it listens again on the same port. */
  readonly stop: () => Promise<void>;
  readonly listen: () => Promise<void>;
  /** Resolves when no connection is open. */
  readonly untilUnused: () => Promise<void>;
  /** Ends it and removes what it stored. */
  readonly close: () => Promise<void>;
};

const CREDENTIALS = { accessKey: 'S3RVER', secretKey: 'S3RVER' }; // the only ones this server knows

/** An S3 server in this process, on a free port, that checks signatures and stores in a directory of its own. */
export const startS3Server = async (): Promise<S3Server> => {
  const directory = await mkdtemp(path.join(tmpdir(), 's3-server-'));
  const s3 = new S3rver({ directory, silent: true });
  const answer = s3.callback();
  let intercept: Intercept | undefined;
  let requests: Array<string> = [];
  const server = http.createServer((request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    const pass = (): void => {
      if (!answerGap(s3.store, request, response)) answer(request, response);
    };
    if (intercept === undefined) pass();
    else intercept(request, response, pass);
  });
  const open = new Set<Socket>();
  const news = makeNews();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      news.tell();
    });
  });
  const listen = async (port: number): Promise<void> => {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  };
  await listen(0);
  // reason: a server that listens on TCP has an address of this form
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  const settings = { endpoint: `http://127.0.0.1:${port}`, bucket: 'files', region: 'us-east-1', ...CREDENTIALS };
  return {
    settings,
    env: {
      ...{ S3_ENDPOINT: settings.endpoint, S3_BUCKET: settings.bucket, S3_REGION: settings.region },
      ...{ S3_ACCESS_KEY: settings.accessKey, S3_SECRET_KEY: settings.secretKey },
    },
    takeRequests: () => {
      const taken = requests;
      requests = [];
      return taken;
    },
    intercept: (next) => (intercept = next),
    stop,
    listen: () => listen(port),
    untilUnused: () => news.until(() => open.size === 0),
    close: async () => {
      if (server.listening) await stop();
      await rm(directory, { recursive: true });
    },
  };
};
