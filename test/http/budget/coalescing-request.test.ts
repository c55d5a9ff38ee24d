import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { serve } from '../../../src/http/serve.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n';

const chunked = (bytes: Buffer, lengths: ReadonlyArray<number>): Buffer => {
  const chunks: Array<Buffer> = [];
  let at = 0;
  for (const length of lengths) {
    chunks.push(Buffer.from(`${length.toString(16)}\r\n`), bytes.subarray(at, at + length), Buffer.from('\r\n'));
    at += length;
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
};

describe('a body in chunks', () => {
  let served: Awaited<ReturnType<typeof serve>>;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let sockets: Array<Socket>;
  let cuts: Array<string>;
  beforeEach(async () => {
    [sockets, cuts] = [[], []];
    served = await serve((request, response) => answer(request, response), {
      runtime: systemRuntime,
      host: '127.0.0.1',
      port: 0,
      onCut: (reason) => void cuts.push(reason),
    });
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await served.stop(10);
  });

  const open = async (): Promise<Socket> => {
    const socket = connect(Number(new URL(served.address).port), '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(HEAD);
    return socket;
  };

  it('arrives as it was sent, whatever the chunks', async () => {
    const length = fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 1, max: 40 }) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 20_000 }) },
      { weight: 1, arbitrary: fc.constantFrom(4095, 4096, 4097, 16_384, 70_000) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(length, { maxLength: 300 }), async (lengths) => {
        const bytes = randomBytes(lengths.reduce((sum, each) => sum + each, 0));
        const arrived = new Promise<Buffer>((resolve, reject) => {
          answer = (request, response) => {
            buffer(request).then(resolve, reject);
            request.once('end', () => response.end());
          };
        });
        const socket = await open();
        socket.resume().write(chunked(bytes, lengths));
        expect((await arrived).equals(bytes)).to.equal(true);
      }),
      { numRuns: 40 },
    );
  });

  it('comes in pieces of its bytes, not of its chunks', async () => {
    const bytes = randomBytes(16_000);
    const pieces: Array<Buffer> = [];
    const ended = new Promise((resolve) => {
      answer = (request, response) => {
        request.on('data', (piece: Buffer) => pieces.push(piece)).once('end', resolve);
        request.once('end', () => response.end());
      };
    });
    (await open()).resume().write(
      chunked(
        bytes,
        Array.from({ length: 16_000 }, () => 1),
      ),
    );
    await ended;
    expect(Buffer.concat(pieces).equals(bytes)).to.equal(true);
    expect(pieces.length).to.be.below(60);
  });

  it('is not taken from the network while nobody reads it', async () => {
    const unread = new Promise<IncomingMessage>((resolve) => {
      answer = resolve;
    });
    const socket = await open();
    const chunks = Array.from({ length: 20_000 }, () => 100);
    const body = chunked(randomBytes(2_000_000), chunks);
    socket.write(body);
    const request = await unread;
    // another one, as long, is read to its end meanwhile
    const read = new Promise((resolve) => {
      answer = (incoming) => incoming.resume().once('end', resolve);
    });
    (await open()).write(body);
    await read;
    expect(request.readableLength).to.be.within(1, 200_000);
    expect(request.socket.bytesRead).to.be.below(body.length / 2);
    request.resume();
    await once(request, 'end');
  });

  it('is cut when its chunks are very small and very many', async () => {
    answer = (request) => request.resume().on('error', () => undefined);
    const socket = await open();
    const closed = new Promise((resolve) => socket.resume().once('close', resolve));
    const chunks = Array.from({ length: 20_000 }, () => 15);
    socket.write(chunked(randomBytes(15 * chunks.length), chunks));
    await closed;
    expect(cuts).to.deep.equal(['a body in too small chunks']);
  });

  it('is failed for its reader when the client goes', async () => {
    const reading = new Promise<{ readonly failed: Promise<unknown> }>((resolve) => {
      answer = (request) => resolve({ failed: buffer(request).catch((error: unknown) => error) });
    });
    const socket = await open();
    socket.write('1\r\nx\r\n1\r\ny\r\n');
    const { failed } = await reading;
    socket.resetAndDestroy();
    expect(await failed).to.be.instanceOf(Error);
  });
});
