import { expect } from 'chai';
import { documentStream } from '../../../src/application/document/execute-document.js';
import { newFileKey } from '../../../src/application/document/file-key.js';
import { findUnnamedFiles } from '../../../src/application/document/find-unnamed-files.js';
import { StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import { aDocumentCreated, aStoredFile } from '../../support/document-events.js';
import { downEventStore } from '../../support/down-event-store.js';
import { FakeObjectStorage } from '../../support/fake-object-storage.js';
import { givenStream } from '../../support/given-stream.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { makeManualClock } from '../../support/manual-clock.js';

const HOUR = 3_600_000;
const NOW = new Date('2026-03-01T12:00:00.000Z');

describe('the search for files that no event names', () => {
  let storage: FakeObjectStorage;
  let store: ReturnType<typeof makeInMemoryEventStore>;
  let listed: number;
  beforeEach(() => {
    storage = new FakeObjectStorage();
    store = makeInMemoryEventStore();
    listed = 0;
  });

  const aFile = (documentId: string, hours: number): string => {
    const key = newFileKey(systemRuntime.random, documentId);
    storage.objects.set(key, { size: 3, content: Buffer.alloc(3) });
    storage.modifiedAt.set(key, new Date(NOW.getTime() - hours * HOUR));
    return key;
  };

  const found = async (
    isNamed: (key: string) => boolean = () => false,
    asked: Parameters<typeof findUnnamedFiles>[0]['store'] = store,
    signal = new AbortController().signal,
  ): Promise<ReadonlyArray<unknown>> => {
    const files = [];
    const ports = { clock: makeManualClock(NOW), store: asked, storage };
    const onListed = (): void => void (listed += 1);
    for await (const { key, isRecent } of findUnnamedFiles(ports, isNamed, onListed, signal))
      files.push([key, isRecent]);
    return files;
  };

  it('finds those, and says which may belong to an upload that is in progress', async () => {
    const [old, recent, known] = [aFile('a', 24.1), aFile('a', 23.9), aFile('b', 48)];
    storage.objects.set('documents/stray', { size: 0, content: Buffer.alloc(0) });
    storage.objects.set('log/mark', { size: 0, content: Buffer.alloc(0) });
    expect(await found((key) => key === known)).to.deep.equal([
      [old, false],
      [recent, true],
      ['documents/stray', false],
    ]);
    expect(listed).to.equal(4);
  });

  it('leaves out a file that an event has named in the meantime', async () => {
    const key = aFile('a', 0);
    await givenStream(store, documentStream('a'), [aDocumentCreated({ file: aStoredFile({ key }) })]);
    expect(await found()).to.deep.equal([]);
  });

  it('blames no file of a document with an event that it cannot read', async () => {
    aFile('a', 48);
    const other = aFile('b', 48);
    await givenStream(store, documentStream('a'), [{ type: 'DocumentMoved', data: {} }]);
    expect(await found()).to.deep.equal([[other, false]]);
  });

  it('throws when the log does not answer, and ends when it is to', async () => {
    aFile('a', 48);
    const failure = await found(undefined, downEventStore().store).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(StoreUnavailable);
    expect(await found(undefined, store, AbortSignal.abort())).to.deep.equal([]);
  });
});
