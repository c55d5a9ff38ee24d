import { EventEmitter, once } from 'node:events';
import net from 'node:net';
import { status } from '@grpc/grpc-js';
import { expect } from 'chai';
import type { Node } from '../../../src/infrastructure/eventstoredb/connection/node.js';
import { readPage } from '../../../src/infrastructure/eventstoredb/reading/read-page.js';
import { newestRequest } from '../../../src/infrastructure/eventstoredb/reading/read-request.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const TIMEOUT_MS = 100;

// pauses: the process is to stand still
const standStill = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** A node whose calls answer with what comes over a socket. */
const nodeOver = (socket: net.Socket): Node => {
  let lastMessageAt = performance.now();
  const node = {
    runtime: systemRuntime,
    metadata: () => undefined,
    noteMessage: () => void (lastMessageAt = performance.now()),
    lastMessageAt: () => lastMessageAt,
    streams: {
      makeServerStreamRequest: () => {
        const end = (code: status): boolean => call.emit('status', { code, details: '', metadata: undefined });
        const call = Object.assign(new EventEmitter(), { cancel: () => void end(status.CANCELLED) });
        socket.once('data', () => {
          call.emit('data', { _tag: 'Other' });
          end(status.OK);
        });
        return call;
      },
    },
  };
  return node as unknown as Node; // reason: what a read takes of it
};

describe('a read of EventStoreDB in a process that stands still', () => {
  let server: net.Server;
  let near: net.Socket;
  let far: net.Socket;

  beforeEach(async () => {
    server = net.createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    // reason: a TCP server that listens has such an address
    near = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
    const connected = once(near, 'connect');
    [far] = (await once(server, 'connection')) as [net.Socket]; // reason: the event gives one
    await connected;
  });
  afterEach(() => {
    near.destroy();
    far.destroy();
    server.close();
  });

  it('takes an answer that came meanwhile, however long it stood still', async () => {
    const reading = readPage(nodeOver(near), newestRequest(), TIMEOUT_MS);
    far.write('an answer');
    standStill(3 * TIMEOUT_MS);
    expect(await reading).to.deep.equal({ events: [], isCut: false });
  });

  it('is given up where nothing came', async () => {
    // what is left of a time that was given is no whole number
    const reading = readPage(nodeOver(near), newestRequest(), TIMEOUT_MS - 0.0416);
    standStill(3 * TIMEOUT_MS);
    const failure: unknown = await reading.catch((error: unknown) => error);
    expect(failure).to.have.property('message', `EventStoreDB: no message for ${TIMEOUT_MS} ms`);
  });
});
