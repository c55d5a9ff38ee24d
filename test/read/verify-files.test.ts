import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { documentStream } from '../../src/application/document/execute-document.js';
import { newFileKey } from '../../src/application/document/file-key.js';
import type { StoredFile } from '../../src/domain/document/events.js';
import type { FileContents } from '../../src/read/get-file.js';
import { type FileFinding, verifyFiles } from '../../src/read/verify-files.js';
import { aDocumentCreated, aDocumentReverted, aDocumentUpdated } from '../support/document-events.js';
import { makeLookout } from '../support/lookout.js';
import { FakeObjectStorage } from '../support/fake-object-storage.js';
import { givenStream } from '../support/given-stream.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const CONTENT = Buffer.from('the content of a file');

describe('verifying files', () => {
  let store: ReturnType<typeof makeInMemoryEventStore>;
  let storage: FakeObjectStorage;
  let findings: Array<Omit<FileFinding, 'revision'> & { revision: string }>;
  let named: Array<string>;
  let checked: Array<number>;
  beforeEach(() => {
    store = makeInMemoryEventStore();
    storage = new FakeObjectStorage();
    [findings, named, checked] = [[], [], []];
  });

  /** A file as an event says it, and what the storage has of it. */
  const aFile = (documentId: string, stored: Buffer | undefined = CONTENT): StoredFile => {
    const key = newFileKey(systemRuntime.random, documentId);
    if (stored.length > 0) storage.objects.set(key, { size: stored.length, content: stored });
    const sha256 = createHash('sha256').update(CONTENT).digest('hex');
    return { key, size: CONTENT.length, sha256, mimeType: 'text/plain', originalName: 'a' };
  };

  const verify = (
    over: { open?: FileContents['open']; signal?: AbortSignal; atOnce?: number } = {},
  ): ReturnType<typeof verifyFiles> =>
    verifyFiles(
      { store, open: over.open ?? storage.open },
      {
        onFinding: ({ revision, ...finding }) => findings.push({ ...finding, revision: String(revision) }),
        onNamed: (key) => named.push(key),
        onChecked: (files) => checked.push(files),
        signal: over.signal ?? new AbortController().signal,
        ...(over.atOnce === undefined ? {} : { atOnce: over.atOnce }),
      },
    );

  const none = { missing: 0, different: 0, unchecked: 0, end: 'Complete' };

  it('reads every version that an event names, and finds nothing in those that are right', async () => {
    const [first, second, other] = [aFile('a'), aFile('a'), aFile('b')];
    const events = [
      { type: 'DocumentUpdated', data: { changes: { name: 'b' } } },
      aDocumentUpdated({ file: second }),
    ] as const;
    await givenStream(store, documentStream('a'), [aDocumentCreated({ file: first })], [events[0]], [events[1]]);
    await givenStream(store, documentStream('b'), [aDocumentCreated({ file: other })]);
    await givenStream(store, documentStream('c'), [aDocumentCreated({ file: null })]);
    await givenStream(store, 'business-1', [{ type: 'BusinessCreated', data: { name: 'a' } }]);
    expect(await verify()).to.deep.equal({ ...none, files: 3, bytes: 3 * CONTENT.length });
    expect([named, checked, findings]).to.deep.equal([[first.key, second.key, other.key], [1, 2, 3], []]);
    expect(storage.given).to.equal(3 * CONTENT.length);
  });

  it('reads a file for each event that names it, also one that was brought back or whose document is deleted', async () => {
    const [first, second] = [aFile('a'), aFile('a')];
    await givenStream(
      ...([
        store,
        documentStream('a'),
        [aDocumentCreated({ file: first })],
        [aDocumentUpdated({ file: second })],
      ] as const),
      [aDocumentReverted(first)],
      [aDocumentReverted(null)],
      [{ type: 'DocumentDeleted', data: {} }],
    );
    expect(await verify()).to.deep.equal({ ...none, files: 3, bytes: 3 * CONTENT.length });
    expect([named, findings]).to.deep.equal([[first.key, second.key, first.key], []]);
    storage.objects.delete(first.key);
    expect(await verify()).to.deep.include({ files: 3, missing: 2 });
    expect(findings.map(({ key, revision }) => [key, revision])).to.deep.equal([
      [first.key, '0'],
      [first.key, '2'],
    ]);
  });

  it('names what is missing, longer, shorter or another, and reads on', async () => {
    const other = Buffer.from(CONTENT);
    other[3] = 0;
    const files = [
      aFile('a', Buffer.alloc(0)),
      aFile('a', CONTENT.subarray(1)),
      aFile('a', Buffer.concat([CONTENT, CONTENT])),
      aFile('a', other),
      aFile('a'),
    ];
    const [created, ...updated] = files;
    await givenStream(
      store,
      documentStream('a'),
      [aDocumentCreated({ file: created! })],
      ...updated.map((file) => [aDocumentUpdated({ file })] as const),
    );
    expect(await verify()).to.deep.equal({
      ...{ ...none, files: 5, bytes: 5 * CONTENT.length },
      ...{ missing: 1, different: 3 },
    });
    const sha256 = createHash('sha256').update(other).digest('hex');
    const expected = [
      ['missing', 'there is no such object'],
      ['different', 'it has 20 bytes, its event says 21'],
      ['different', 'it has at least 42 bytes, its event says 21'],
      ['different', `its SHA-256 is ${sha256}, its event says ${created!.sha256}`],
    ].map(([kind, reason], index) => ({
      ...{ kind, reason, documentId: 'a', revision: String(index), key: files[index]!.key },
    }));
    expect(findings).to.have.deep.members(expected);
  });

  it('says which file could not be read, and which event may name one that it does not know', async () => {
    const [broken, away] = [aFile('a'), aFile('a')];
    await givenStream(
      store,
      documentStream('a'),
      [aDocumentCreated({ file: broken })],
      [aDocumentUpdated({ file: away })],
    );
    await givenStream(store, documentStream('b'), [{ type: 'DocumentMoved', data: {} }]);
    const failing = function* (): Generator<Buffer> {
      yield CONTENT.subarray(0, 1);
      throw new Error('the disk failed');
    };
    const open: FileContents['open'] = (key) =>
      Promise.resolve(
        key === broken.key
          ? E.right(Readable.from(failing()))
          : E.left({ _tag: 'FileUnavailable', cause: new Error('no connection') }),
      );
    expect(await verify({ open })).to.deep.include({ files: 2, unchecked: 3, end: 'Complete' });
    expect(findings.map(({ kind, key, reason }) => [kind, key, reason.slice(0, 15)])).to.have.deep.members([
      ['unread', broken.key, 'the disk failed'],
      ['unread', away.key, 'no connection'],
      ['undecodable', undefined, findings.find(({ kind }) => kind === 'undecodable')?.reason.slice(0, 15)],
    ]);
  });

  /** So many documents, each with a file. */
  const many = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1)
      await givenStream(store, documentStream(`d${index}`), [aDocumentCreated({ file: aFile(`d${index}`) })]);
  };

  it('reads so many at once, and not more', async () => {
    await many(10);
    const { note, until } = makeLookout();
    let opened = 0;
    const bodies: Array<PassThrough> = [];
    const open: FileContents['open'] = () => {
      opened += 1;
      const body = new PassThrough();
      bodies.push(body);
      note();
      return Promise.resolve(E.right(body));
    };
    const verifying = verify({ open, atOnce: 4 });
    for (let ended = 0; ended < 10; ended += 1) {
      await until(() => bodies.length > 0);
      await new Promise(setImmediate);
      expect(opened - ended).to.be.at.most(4);
      if (ended === 0) await until(() => opened === 4);
      bodies.shift()?.end(CONTENT);
    }
    expect(await verifying).to.deep.include({ files: 10, end: 'Complete' });
  });

  it('gives up when the storage does not answer, and ends when it is to', async () => {
    await many(150);
    const open: FileContents['open'] = () =>
      Promise.resolve(E.left({ _tag: 'FileUnavailable', cause: new Error('no connection') }));
    const verified = await verify({ open, atOnce: 1 });
    expect(verified).to.deep.include({ files: 100, unchecked: 100, end: 'GivenUp' });
    const stopping = new AbortController();
    const stopped = await verify({
      open: (...args) => {
        stopping.abort();
        return storage.open(...args);
      },
      signal: stopping.signal,
    });
    expect(stopped).to.deep.include({ files: 1, end: 'Aborted' });
  });
});
