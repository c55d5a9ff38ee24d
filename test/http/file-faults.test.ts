import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { expect } from 'chai';
import { either as E, option as O } from 'fp-ts';
import type { StoredFile } from '../../src/domain/document/events.js';
import type { ErrorCode } from '../../src/http/problem/error-codes.js';
import type { FileFault } from '../../src/read/file-fault.js';
import type { FileContents } from '../../src/read/get-file.js';
import { contentOf } from '../support/bodies.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { errorIn } from '../support/error-in.js';
import { makeNews } from '../support/news.js';
import { FakeObjectStorage } from '../support/fake-object-storage.js';
import { replacing } from '../support/memory-ports.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { pageOf } from '../support/page-of.js';

const MiB = 1024 * 1024;
const ID = '00000000-0000-7000-8000-000000000000';
const KEY = `documents/${ID}/file`;

const internal = (code: ErrorCode) => ({
  ...{ name: 'Internal Server Error', message: 'Internal Server Error', status: 500 },
  code,
});
const DAMAGED = internal('file_damaged');

const errorOf = (body: Buffer): unknown => errorIn(JSON.parse(body.toString()));

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

const flipped = (content: Buffer, index: number): Buffer => {
  const other = Buffer.from(content);
  other[index] = other[index]! ^ 1;
  return other;
};

/** `status` is undefined when the connection was cut before there was one. */
type Answer = {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly isComplete: boolean;
};

async function* pages(event: StoredEvent) {
  yield await Promise.resolve(pageOf([event], true));
}

describe('a file that is not the one that its event names', () => {
  let stack: MemoryStack;
  let storage: FakeObjectStorage;
  let faults: Array<FileFault>;
  let event: StoredFile;
  /** What opening a file comes to, in place of what the storage has. */
  let opening: (() => ReturnType<FileContents['open']>) | undefined;
  /** The first event of the document as the log has it; undefined: there is none. */
  let first: StoredEvent | undefined;

  /** An event that names `named`, and a storage that has `stored` instead; without it, nothing. */
  const given = (named: Buffer, stored?: Buffer): void => {
    event = { key: KEY, size: named.length, sha256: sha256(named), mimeType: 'text/plain', originalName: 'a.txt' };
    storage.objects.clear();
    if (stored !== undefined) storage.objects.set(KEY, { size: stored.length, content: stored });
  };

  before(async () => {
    storage = new FakeObjectStorage();
    const documents = replacing('documents', ({ queries }) => ({
      queries: {
        ...queries,
        hiddenState: () => Promise.resolve(E.right(O.some({ hidden: JSON.stringify({ file: event }), revision: 0n }))),
      },
    }));
    stack = await startMemoryStack({
      ports: (original) => ({
        storage: Object.assign(Object.create(storage) as FakeObjectStorage, {
          open: (...args: Parameters<typeof storage.open>) => opening?.() ?? storage.open(...args),
        }),
        onFileFault: (fault) => faults.push(fault),
        store: {
          ...original.store,
          readStream: (...[stream, range]) =>
            first === undefined ? original.store.readStream(stream, range) : pages(first),
        },
        ...documents(original),
      }),
    });
  });
  after(() => stack.stop());
  beforeEach(() => {
    faults = [];
    storage.behaviour = {};
    opening = undefined;
    first = undefined;
  });

  /** The response, as soon as it has begun; none when the connection is cut before. */
  const begin = async (
    headers: Readonly<Record<string, string>> = {},
    method = 'GET',
  ): Promise<IncomingMessage | undefined> => {
    const outgoing = request(`${stack.baseUrl}/api/v1/document/${ID}/file`, {
      method,
      headers: { authorization: `Bearer ${stack.tokenFor('viewer')}`, ...headers },
    });
    const began = once(outgoing, 'response').catch(() => [undefined]);
    outgoing.on('error', () => undefined).end();
    const [response] = (await began) as [IncomingMessage | undefined]; // reason: so Node documents the event
    return response;
  };

  const get = async (headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> => {
    const response = await begin(headers, method);
    if (response === undefined) return { status: undefined, headers: {}, body: Buffer.alloc(0), isComplete: false };
    const body: Array<Buffer> = [];
    response.on('error', () => undefined).on('data', (piece: Buffer) => body.push(piece));
    await new Promise((resolve) => response.once('close', resolve));
    const { statusCode: status, headers: received, complete: isComplete } = response;
    return { status, headers: received, body: Buffer.concat(body), isComplete };
  };

  const fault = (kind: FileFault['kind'], reason: string): FileFault => ({ kind, documentId: ID, key: KEY, reason });

  const linesOf = (level: string): ReadonlyArray<object> =>
    stack.log.filter((line) => line.level === level).map(({ fields }) => fields);

  for (const size of [0, 1, 100, 64 * 1024, 64 * 1024 + 1, MiB, MiB + 1, 3 * MiB])
    it(`is none where all ${size} bytes are right`, async () => {
      const content = contentOf(size);
      given(content, content);
      const { status, headers, body, isComplete } = await get();
      expect([status, headers['content-length'], isComplete, body.equals(content)]).to.deep.equal([
        ...[200, String(size), true, true],
      ]);
      expect([faults, storage.opened]).to.deep.equal([[], 0]);
    });

  for (const [size, chunk] of [
    [1, 64],
    [100, 7],
    [64 * 1024, 64 * 1024],
    [MiB, 64 * 1024],
  ] as const)
    for (const index of new Set([0, size >> 1, size - 1]))
      it(`is 500 up to 1 MiB, before its first byte: byte ${index} of ${size} is another`, async () => {
        const content = contentOf(size);
        const stored = flipped(content, index);
        given(content, stored);
        storage.behaviour = { chunk };
        const { status, headers, body } = await get();
        expect([status, errorOf(body)]).to.deep.equal([500, DAMAGED]);
        expect(headers).to.not.have.any.keys('etag', 'content-disposition', 'accept-ranges');
        const reason = `its SHA-256 is ${sha256(stored)}, its event says ${sha256(content)}`;
        expect(faults).to.deep.equal([fault('different', reason)]);
        expect(linesOf('error').at(-1)).to.deep.include({ status: 500, failure: { tag: 'FileDiffers', reason } });
      });

  for (const size of [100, 3 * MiB])
    it(`is 404, and no fault, where all that its document said is erased: ${size} bytes`, async () => {
      given(contentOf(size));
      const place = { id: ID, type: 'DocumentCreated', stream: `document-${ID}`, revision: 0n, position: 0n } as const;
      first = { ...place, data: '{}', metadata: '{"dataHash":"a","salt":"b"}' };
      expect([(await get()).status, faults.length]).to.deep.equal([500, 1]);
      first = { ...place, data: '{}', metadata: '{"dataHash":"a"}' };
      const { status, body } = await get();
      expect([status, errorOf(body)]).to.deep.equal([
        404,
        { name: 'Entity not found', message: 'Entity not found', status: 404, code: 'document_not_found' },
      ]);
      expect(faults.length).to.equal(1);
    });

  for (const [words, stored, found] of [
    ['shorter', contentOf(99), '99'],
    ['empty', contentOf(0), '0'],
    ['longer', contentOf(101), 'at least 101'],
  ] as const)
    it(`is 500 up to 1 MiB when it is ${words}`, async () => {
      given(contentOf(100), stored);
      const { status, body } = await get();
      expect([status, errorOf(body)]).to.deep.equal([500, DAMAGED]);
      expect(faults).to.deep.equal([fault('different', `it has ${found} bytes, its event says 100`)]);
      expect(storage.opened).to.equal(0);
    });

  it('is 500 up to 1 MiB for a range, too, also where the range itself is right', async () => {
    const content = contentOf(MiB);
    given(content, content);
    const right = await get({ range: 'bytes=1000-1999' });
    expect([
      right.status,
      right.headers['content-range'],
      right.body.equals(content.subarray(1000, 2000)),
    ]).to.deep.equal([206, `bytes 1000-1999/${MiB}`, true]);
    given(content, flipped(content, 5));
    const { status, body } = await get({ range: 'bytes=1000-1999' });
    expect([status, errorOf(body), faults.map(({ kind }) => kind)]).to.deep.equal([500, DAMAGED, ['different']]);
  });

  for (const [words, size, stored, reason] of [
    ['has another first byte', MiB + 1, flipped(contentOf(MiB + 1), 0), /^its SHA-256 is /],
    ['has another last byte', MiB + 1, flipped(contentOf(MiB + 1), MiB), /^its SHA-256 is /],
    ['has another byte within', 3 * MiB, flipped(contentOf(3 * MiB), 2 * MiB), /^its SHA-256 is /],
    ['is a byte shorter', 3 * MiB, contentOf(3 * MiB - 1), /^it has 3145727 bytes, its event says 3145728$/],
    ['is a byte longer', 3 * MiB, contentOf(3 * MiB + 1), /^it has at least 3145729 bytes, its event says 3145728$/],
    ['is a chunk longer', 3 * MiB, contentOf(4 * MiB), /^it has at least 3211264 bytes, its event says 3145728$/],
  ] as const)
    it(`is cut before its last bytes when it is larger, and ${words}`, async () => {
      given(contentOf(size), stored);
      const { status, headers, body, isComplete } = await get();
      // a client that is slow to read may lose the beginning, too
      if (status !== undefined) expect([status, headers['content-length']]).to.deep.equal([200, String(size)]);
      expect([isComplete, body.length < size]).to.deep.equal([false, true]);
      expect(faults.map(({ kind, documentId, key }) => [kind, documentId, key])).to.deep.equal([
        ['different', ID, KEY],
      ]);
      expect(faults[0]?.reason).to.match(reason);
      expect(linesOf('error').at(-1)).to.deep.include({ status: 500, operation: 'getDocumentFile' });
      expect(storage.opened).to.equal(0);
    });

  it('keeps back what the storage gives last, until its end has shown that all of it is right', async () => {
    const content = contentOf(2 * MiB);
    for (const [stored, isRight] of [
      [content, true],
      [flipped(content, 0), false],
    ] as const) {
      given(content, stored);
      const body = new PassThrough();
      opening = () => Promise.resolve(E.right(body));
      for (let start = 0; start < stored.length; start += 64 * 1024)
        body.write(stored.subarray(start, start + 64 * 1024));
      const response = await begin();
      let received = 0;
      const news = makeNews();
      response
        ?.on('error', () => undefined)
        .on('data', (piece: Buffer) => {
          received += piece.length;
          news.tell();
        });
      const closed = new Promise((resolve) => response?.once('close', resolve));
      await news.until(() => received >= MiB);
      // another one, whose end has come, is given to its end meanwhile
      opening = () => Promise.resolve(E.right(Readable.from([stored])));
      await get();
      expect(received).to.be.lessThan(2 * MiB);
      body.end();
      await closed;
      expect([response?.complete, received === 2 * MiB]).to.deep.equal([isRight, isRight]);
    }
  });

  it('is not found in a range of a larger one, which is not checked', async () => {
    const content = contentOf(2 * MiB);
    given(content, flipped(content, 0));
    const { status, body } = await get({ range: 'bytes=1000-1999' });
    expect([status, body.equals(content.subarray(1000, 2000)), faults]).to.deep.equal([206, true, []]);
  });

  it('is 500 for a range beyond the end of what is there of a larger one', async () => {
    given(contentOf(2 * MiB), contentOf(MiB));
    const { status, body } = await get({ range: 'bytes=-10' });
    expect([status, errorOf(body), faults.map(({ kind }) => kind)]).to.deep.equal([500, DAMAGED, ['different']]);
  });

  for (const size of [100, 2 * MiB])
    it(`is 500 without "try again" when the storage lacks it: ${size} bytes`, async () => {
      given(contentOf(size));
      for (const range of [{}, { range: 'bytes=0-9' }]) {
        const { status, headers, body } = await get(range);
        expect([status, errorOf(body), headers['retry-after']]).to.deep.equal([500, internal('file_lost'), undefined]);
      }
      const missing = fault('missing', 'there is no such object');
      expect(faults).to.deep.equal([missing, missing]);
    });

  it('is not blamed for a storage that is away, or fails while it is read', async () => {
    const content = contentOf(100);
    given(content, content);
    const failing = (): Readable =>
      Readable.from(
        (function* () {
          yield content.subarray(0, 10);
          throw new Error('the disk failed');
        })(),
      );
    for (const outcome of [
      E.left({ _tag: 'FileUnavailable', cause: new Error('away') } as const),
      E.right(failing()),
    ] as const) {
      opening = () => Promise.resolve(outcome);
      const { status, headers } = await get();
      expect([status, headers['retry-after']]).to.deep.equal([503, '1']);
    }
    expect(faults).to.deep.equal([]);
  });

  it('is not blamed for a reader who goes', async () => {
    const content = contentOf(3 * MiB);
    given(content, flipped(content, 0));
    const response = await begin();
    const lines = stack.log.length;
    response?.on('error', () => undefined).destroy();
    while (stack.log.length === lines) await new Promise(setImmediate);
    expect(faults).to.deep.equal([]);
  });

  it('is not looked at for HEAD, nor for a file that the client has already', async () => {
    given(contentOf(100));
    const head = await get({}, 'HEAD');
    expect([head.status, head.headers['content-length']]).to.deep.equal([200, '100']);
    const { status } = await get({ 'if-none-match': `"${event.sha256}"` });
    expect([status, faults]).to.deep.equal([304, []]);
  });
});
