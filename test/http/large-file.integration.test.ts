import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request, type RequestOptions } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { bytesOf, digestOf } from '../support/bodies.js';
import { FakeObjectStorage } from '../support/fake-object-storage.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { FORM_TYPE, formOf } from '../support/multipart-form.js';

const MiB = 1024 * 1024;
const SIZE = 200 * MiB;
// Far below the file's size, far above what a busy garbage collector leaves lying about.
const GROWTH = 100 * MiB;
const PIECE = Buffer.alloc(64 * 1024);

/** Resident memory of this process at its highest, above where it began, while `work` runs. */
const growthDuring = async (work: () => Promise<void>): Promise<number> => {
  const before = process.memoryUsage.rss();
  let highest = before;
  // polls: the most memory there is meanwhile
  const sampling = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 10);
  await work();
  clearInterval(sampling);
  return highest - before;
};

function* zeros(): Generator<Buffer> {
  for (let given = 0; given < SIZE; given += PIECE.length) yield PIECE;
}

function* form(): Generator<Buffer> {
  const parts = [
    { name: 'name', content: 'n' },
    { name: 'file', filename: 'f', content: '|' },
  ] as const;
  const [head = '', tail = ''] = formOf(...parts)
    .toString()
    .split('|');
  yield Buffer.from(head);
  yield* zeros();
  yield Buffer.from(tail);
}

describe('a file of 200 MiB', function () {
  this.timeout(120_000);

  let stack: MemoryStack;
  let storage: FakeObjectStorage;

  before(async () => {
    storage = new FakeObjectStorage();
    storage.behaviour = { countOnly: true };
    stack = await startMemoryStack({ maxUploadBytes: SIZE, ports: () => ({ storage }) });
  });

  after(() => stack.stop());

  const send = async (path: string, options: RequestOptions, body: Iterable<Buffer>): Promise<IncomingMessage> => {
    const outgoing = request(`${stack.baseUrl}/api/v1${path}`, options);
    outgoing.setHeader('authorization', `Bearer ${stack.tokenFor('editor')}`);
    const answered = once(outgoing, 'response');
    await pipeline(Readable.from(body), outgoing);
    const [response] = (await answered) as [IncomingMessage];
    return response;
  };

  it('goes in and out without being held in memory', async () => {
    let id = '';
    const uploaded = await growthDuring(async () => {
      const reply = await send('/document/', { method: 'POST', headers: { 'content-type': FORM_TYPE } }, form());
      const document = JSON.parse((await bytesOf(reply)).toString()) as { _id: string; size: number };
      expect([reply.statusCode, document.size, storage.received]).to.deep.equal([200, SIZE, SIZE]);
      id = document._id;
    });
    const downloaded = await growthDuring(async () => {
      const hash = createHash('sha256');
      for (const piece of zeros()) hash.update(piece);
      const sha256 = hash.digest('hex');
      const reply = await send(`/document/${id}/file`, { method: 'GET' }, []);
      expect(await digestOf(reply)).to.deep.equal({ size: SIZE, sha256 });
      expect(reply.headers.etag).to.equal(`"${sha256}"`);
    });
    expect([uploaded < GROWTH, downloaded < GROWTH], `${uploaded} and ${downloaded} bytes`).to.deep.equal([true, true]);
  });
});
