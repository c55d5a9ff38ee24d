import { Readable } from 'node:stream';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { newFileKey } from '../../../src/application/document/file-key.js';
import { documentStream } from '../../../src/application/document/execute-document.js';
import { LONGEST_UPLOAD } from '../../../src/application/document/longest-upload.js';
import { type SweepFault, sweepFiles, type SweepOptions } from '../../../src/application/document/sweep-files.js';
import type { ObjectStorage, StorageUnavailable } from '../../../src/application/ports.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { aDocumentCreated, aDocumentReverted, aDocumentUpdated, aStoredFile } from '../../support/document-events.js';
import { downEventStore } from '../../support/down-event-store.js';
import { FakeObjectStorage } from '../../support/fake-object-storage.js';
import { givenStream } from '../../support/given-stream.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { makeManualClock } from '../../support/manual-clock.js';
import type { Clock } from '../../../src/event-sourcing/clock.js';

const HOUR = 3_600_000;
const NOW = new Date('2026-03-01T12:00:00.000Z');
const OPTIONS: SweepOptions = { olderThan: 24 * HOUR, documentsPerSecond: Infinity };

const never = (): AbortSignal => new AbortController().signal;

describe('the sweep of files', () => {
  let store: EventStore;
  let storage: FakeObjectStorage;
  let faults: Array<SweepFault>;
  beforeEach(async () => {
    store = makeInMemoryEventStore();
    storage = new FakeObjectStorage();
    faults = [];
    await sweep();
  });

  const sweep = (
    over: {
      clock?: Clock;
      store?: EventStore;
      storage?: Partial<ObjectStorage>;
      options?: SweepOptions;
      signal?: AbortSignal;
    } = {},
  ) => {
    const { put, remove, clearUnfinished } = storage;
    const list = (prefix: string) => storage.list(prefix);
    const ports = { put, remove, clearUnfinished, list, ...over.storage };
    const deps = {
      clock: over.clock ?? { ...systemRuntime.clock, date: () => NOW },
      store: over.store ?? store,
      storage: ports,
      onFault: (fault: SweepFault) => faults.push(fault),
    };
    return sweepFiles(deps, over.options ?? OPTIONS)(over.signal ?? never());
  };

  /** A file that was stored some hours ago. */
  const aFile = async (documentId: string, hours = 48): Promise<string> => {
    const key = newFileKey(systemRuntime.random, documentId);
    await storage.put(key, Readable.from([Buffer.from('content')]));
    storage.modifiedAt.set(key, new Date(NOW.getTime() - hours * HOUR));
    return key;
  };

  const files = (): ReadonlyArray<string> => [...storage.objects.keys()].filter((key) => !key.startsWith('log/'));

  const named = (key: string) => ({ file: aStoredFile({ key }) });

  const swept = (over: object) =>
    E.right({ examined: 0, removed: 0, unfinished: 0, faults: 0, isComplete: true, ...over });

  it('removes what no event names, and keeps every version that one does', async () => {
    const [first, second, refused] = [await aFile('a'), await aFile('a'), await aFile('a')];
    const [other, stray] = [await aFile('b'), await aFile('never-created')];
    await givenStream(store, documentStream('a'), [aDocumentCreated(named(first))], [aDocumentUpdated(named(second))]);
    await givenStream(store, documentStream('b'), [aDocumentCreated(named(other))]);
    expect(await sweep()).to.deep.equal(swept({ examined: 5, removed: 2 }));
    expect(files()).to.have.members([first, second, other]).and.not.include.members([refused, stray]);
    expect(await sweep()).to.deep.equal(swept({ examined: 3 }));
  });

  it('keeps the files of a deleted document, and one that an event brought back', async () => {
    const [first, second, third] = [await aFile('a'), await aFile('a'), await aFile('a')];
    const [was, is] = [aStoredFile({ key: first }), aStoredFile({ key: second })];
    await givenStream(
      ...([store, documentStream('a'), [aDocumentCreated({ file: was })], [aDocumentUpdated({ file: is })]] as const),
      [aDocumentReverted(was)],
      [aDocumentReverted(null)],
      [{ type: 'DocumentDeleted', data: {} }],
    );
    expect(await sweep()).to.deep.equal(swept({ examined: 3, removed: 1 }));
    expect(files()).to.have.members([first, second]).and.not.include(third);
  });

  it('keeps a file whose event is not appended yet', async () => {
    const key = await aFile('a', 0);
    expect(await sweep()).to.deep.equal(swept({}));
    await givenStream(store, documentStream('a'), [aDocumentCreated(named(key))]);
    storage.modifiedAt.set(key, new Date(0));
    expect(await sweep()).to.deep.equal(swept({ examined: 1 }));
    expect(files()).to.deep.equal([key]);
  });

  it('touches nothing that is younger than asked, nor than two longest uploads whatever is asked', async () => {
    await aFile('a', 23.9);
    expect(await sweep()).to.deep.equal(swept({}));
    const asked = { ...OPTIONS, olderThan: 0 };
    await aFile('b', (2 * LONGEST_UPLOAD) / HOUR - 0.1);
    const old = await aFile('c', (2 * LONGEST_UPLOAD) / HOUR + 0.1);
    expect(await sweep({ options: asked })).to.deep.equal(swept({ examined: 2, removed: 2 }));
    expect(files()).to.have.length(1).and.not.include(old);
  });

  it('touches nothing whose key is none of a file', async () => {
    for (const key of ['documents/a', 'documents/a/b/c', 'elsewhere/a/b'])
      await storage.put(key, Readable.from([Buffer.from('x')]));
    expect(await sweep()).to.deep.equal(swept({}));
    expect(files().length).to.equal(3);
  });

  it('reads the stream of a document once for all its files that lie together', async () => {
    for (let index = 0; index < 10; index += 1) await aFile('a');
    let reads = 0;
    const counting: EventStore = {
      ...store,
      readStream: (...args) => {
        reads += 1;
        return store.readStream(...args);
      },
    };
    expect(await sweep({ store: counting })).to.deep.equal(swept({ examined: 10, removed: 10 }));
    expect(reads).to.equal(1);
  });

  it('goes through more files than it holds at a time', async () => {
    for (let index = 0; index < 2500; index += 1)
      storage.objects.set(newFileKey(systemRuntime.random, `d${index % 7}`), { size: 0, content: Buffer.alloc(0) });
    expect(await sweep()).to.deep.equal(swept({ examined: 2500, removed: 2500 }));
    expect(files()).to.deep.equal([]);
  });

  it('clears what uploads left unfinished that are older than asked', async () => {
    const asked: Array<Date> = [];
    const clearUnfinished: ObjectStorage['clearUnfinished'] = (before) => {
      asked.push(before);
      return Promise.resolve(E.right(3));
    };
    expect(await sweep({ storage: { clearUnfinished } })).to.deep.equal(swept({ unfinished: 3 }));
    expect(asked).to.deep.equal([new Date(NOW.getTime() - 24 * HOUR)]);
  });

  it('keeps the files of a document with an event that it cannot read, tells it, and goes on', async () => {
    const key = await aFile('a');
    const [stray] = [await aFile('b')];
    const [event] = await givenStream(store, documentStream('a'), [{ type: 'DocumentMoved', data: {} }]);
    expect(await sweep()).to.deep.equal(swept({ examined: 2, removed: 1, faults: 1 }));
    expect(files()).to.deep.equal([key]).and.not.include(stray);
    expect(faults.map((fault) => fault._tag === 'NotChecked' && [fault.documentId, fault.failure._tag])).to.deep.equal([
      ['a', 'UndecodableEvent'],
    ]);
    expect(event?.type).to.equal('DocumentMoved');
  });

  it('tells each file that it could not remove, and goes on', async () => {
    const [stuck, stray] = [await aFile('a'), await aFile('b')];
    const failure: StorageUnavailable = { _tag: 'StorageUnavailable', cause: new Error('locked') };
    const remove: ObjectStorage['remove'] = (key) =>
      key === stuck ? Promise.resolve(E.left(failure)) : storage.remove(key);
    const clearUnfinished: ObjectStorage['clearUnfinished'] = () => Promise.resolve(E.left(failure));
    expect(await sweep({ storage: { remove, clearUnfinished } })).to.deep.equal(
      swept({ examined: 2, removed: 1, faults: 2 }),
    );
    expect(faults).to.deep.equal([
      { _tag: 'UnfinishedNotCleared', failure },
      { _tag: 'NotRemoved', key: stuck, failure },
    ]);
    expect(files()).to.deep.equal([stuck]).and.not.include(stray);
  });

  it('removes nothing while the log does not answer, and gives up after a hundred faults', async () => {
    for (let index = 0; index < 150; index += 1) await aFile(`d${index}`);
    const readStream = downEventStore().store.readStream;
    expect(await sweep({ store: { ...store, readStream } })).to.deep.equal(
      swept({ examined: 100, faults: 100, isComplete: false }),
    );
    expect(files().length).to.equal(150);
    expect(await sweep({ store: downEventStore().store })).to.deep.equal(E.left(downEventStore().failure));
  });

  it('fails when the storage cannot be listed', async () => {
    await sweep();
    const cause = new Error('no connection');
    const list = (): AsyncIterable<never> => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(cause) }),
    });
    expect(await sweep({ storage: { list } })).to.deep.equal(E.left({ _tag: 'StorageUnavailable', cause }));
  });

  it('takes so many documents a second', async () => {
    for (const document of ['a', 'b', 'c']) await aFile(document);
    const clock = makeManualClock(NOW);
    let outcome: unknown;
    void sweep({ clock, options: { ...OPTIONS, documentsPerSecond: 4 } }).then((result) => (outcome = result));
    const left: Array<number> = [];
    for (const ms of [249, 1, 249, 1]) {
      await clock.advance(ms);
      left.push(files().length);
    }
    expect([left, outcome]).to.deep.equal([[2, 1, 1, 0], undefined]);
    await clock.advance(250);
    expect(outcome).to.deep.equal(swept({ examined: 3, removed: 3 }));
  });

  it('ends early when it is stopped', async () => {
    for (let index = 0; index < 10; index += 1) await aFile(`d${index}`);
    const stopping = new AbortController();
    const remove: ObjectStorage['remove'] = (key) => {
      stopping.abort();
      return storage.remove(key);
    };
    const options = { ...OPTIONS, documentsPerSecond: 0.001 };
    expect(await sweep({ storage: { remove }, options, signal: stopping.signal })).to.deep.equal(
      swept({ examined: 1, removed: 1, isComplete: false }),
    );
  });

  it('removes nothing from storage that holds the files of another log', async () => {
    const key = await aFile('a');
    await givenStream(store, documentStream('a'), [aDocumentCreated(named(key))]);
    expect(await sweep({ store: makeInMemoryEventStore() })).to.deep.equal(E.left({ _tag: 'StorageOfAnotherLog' }));
    expect(await sweep()).to.deep.equal(swept({ examined: 1 }));
    expect(files()).to.deep.equal([key]);
  });

  it('only marks the storage the first time, so that two logs that come at once both see the other', async () => {
    storage = new FakeObjectStorage();
    await aFile('a');
    const other = { store: makeInMemoryEventStore() };
    const marking = await Promise.all([sweep(), sweep(other)]);
    expect(marking).to.deep.equal([1, 2].map(() => swept({ isComplete: false })));
    const sweeping = await Promise.all([sweep(), sweep(other)]);
    expect(sweeping).to.deep.equal([1, 2].map(() => E.left({ _tag: 'StorageOfAnotherLog' })));
    expect(files().length).to.equal(1);
  });
});
