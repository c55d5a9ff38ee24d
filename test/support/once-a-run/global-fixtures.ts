import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { ADDRESS, type Asked } from './ask.js';
import { build } from './build.js';
import { makeDatabases } from './databases.js';
import { removeLeftDatabases } from './remove-left-databases.js';

const databases = makeDatabases(process.env['DATABASE_URL']);
let built: Promise<void> | undefined;

const make: Readonly<Record<Asked, (like: string) => Promise<string>>> = {
  database: (like) => databases.fresh(like === '' ? undefined : like),
  build: async () => {
    await (built ??= build());
    return 'dist';
  },
};

const server = http.createServer((request, response) => {
  // reason: nobody but `askRun` knows the address
  const [asked, like] = request.url?.slice(1).split('/') as [Asked, string];
  make[asked](like).then(
    (answer) => response.end(answer),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});

/** Answers what the tests ask for. */
// mocha finds it by its name
// ts-unused-exports:disable-next-line
export const mochaGlobalSetup = async (): Promise<void> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // reason: a TCP server that listens has such an address
  process.env[ADDRESS] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

// mocha finds it by its name
// ts-unused-exports:disable-next-line
export const mochaGlobalTeardown = async (): Promise<void> => {
  server.close();
  server.closeAllConnections();
  await databases.discard();
  await removeLeftDatabases();
};
