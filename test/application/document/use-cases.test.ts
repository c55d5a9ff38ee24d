import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { commandIdsOf } from '../../../src/application/command-context.js';
import { type EventStore, StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import type { ExpectedRevision } from '../../../src/event-sourcing/recorded-event.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { givenStream } from '../../support/given-stream.js';
import { documentUseCases, factsIn, from } from '../../support/use-cases.js';

const fields = { name: 'Contract', description: null, tags: [], type: 'Offer', entityType: 'Offer', entity: null };
const file = { key: 'documents/d1/f1', size: 3, sha256: 'aa', mimeType: 'text/plain', originalName: 'a.txt' };
const other = { ...file, key: 'documents/d1/f2', sha256: 'bb' };
const stamp = { by: 'alice', at: '2026-01-02T03:04:05.678Z' };
const plain = { _tag: 'Current', fields, createdType: 'Offer', file: null, uploaded: null, generated: stamp };

describe('the use cases of documents', () => {
  let store: EventStore;
  let removed: Array<string>;
  let documents: ReturnType<typeof documentUseCases>;

  const remove = (key: string) => {
    removed.push(key);
    return Promise.resolve(E.right(undefined));
  };

  beforeEach(async () => {
    store = makeInMemoryEventStore();
    removed = [];
    documents = documentUseCases(store, { remove });
    await givenStream(store, 'document-d1', [{ type: 'DocumentCreated', data: { ...fields, file: null } }]);
  });

  const put = from('PUT /document/d1');
  const post = from('POST /document');
  const newFacts = async () => (await factsIn(store, 'document-d1')).slice(1);

  it('create a document under the ids its file was stored for, with one event', async () => {
    const ids = commandIdsOf(post);
    const result = await documents.create(post, ids, { name: 'Contract', type: 'Offer' }, file);
    expect(result).to.deep.equal(
      E.right({
        before: { _tag: 'NotCreated' },
        after: { ...plain, file, uploaded: stamp, generated: null },
        revision: 0n,
        projected: true,
      }),
    );
    expect(await factsIn(store, `document-${ids.entityId}`)).to.deep.equal([
      { type: 'DocumentCreated', data: { ...fields, file } },
    ]);
    expect(removed).to.deep.equal([]);
  });

  it('update fields and file with one event', async () => {
    expect(await documents.update(put, 'd1', { name: 'New' }, file)).to.deep.equal(
      E.right({
        before: plain,
        after: { ...plain, fields: { ...fields, name: 'New' }, file, uploaded: stamp },
        revision: 1n,
        projected: true,
      }),
    );
    expect(await newFacts()).to.deep.equal([{ type: 'DocumentUpdated', data: { changes: { name: 'New' }, file } }]);
    expect(removed).to.deep.equal([]);
  });

  it('append nothing when nothing changes', async () => {
    expect(await documents.update(put, 'd1', { name: 'Contract' }, undefined)).to.deep.equal(
      E.right({ before: plain, after: plain, revision: 0n, projected: true }),
    );
    expect(await newFacts()).to.deep.equal([]);
  });

  describe('remove the object again', () => {
    it('of a file that is the same as the present one', async () => {
      await documents.update(put, 'd1', {}, file);
      await documents.update(put, 'd1', {}, { ...file, key: 'documents/d1/f2' });
      expect(await newFacts()).to.deep.equal([{ type: 'DocumentUpdated', data: { changes: {}, file } }]);
      expect(removed).to.deep.equal(['documents/d1/f2']);
    });

    it('of an update that is refused', async () => {
      expect(await documents.update(put, 'd2', {}, file)).to.deep.equal(E.left({ _tag: 'DocumentNotFound' }));
      const stale = { ...put, precondition: (current: ExpectedRevision) => current === 7n };
      expect(await documents.update(stale, 'd1', {}, other)).to.deep.equal(
        E.left({ _tag: 'PreconditionFailed', current: 0n }),
      );
      expect(removed).to.deep.equal([file.key, other.key]);
    });

    it('of a repeat, whose original keeps its own', async () => {
      const origin = { ...put, idempotencyKey: 'k' };
      const original = await documents.update(origin, 'd1', {}, file);
      const again = { ...file, key: 'documents/d1/f2' };
      expect(await documents.update(origin, 'd1', {}, again)).to.deep.equal(original);
      expect(removed).to.deep.equal([again.key]);
    });

    it('of a create that is a repeat', async () => {
      const origin = { ...post, idempotencyKey: 'k' };
      const ids = commandIdsOf(origin);
      const original = await documents.create(origin, ids, { name: 'Contract' }, file);
      const again = { ...file, key: 'documents/d1/f2' };
      expect(await documents.create(origin, ids, { name: 'Contract' }, again)).to.deep.equal(original);
      expect(removed).to.deep.equal([again.key]);
    });

    it('of a key that came with other bytes', async () => {
      const origin = { ...put, idempotencyKey: 'k' };
      await documents.update(origin, 'd1', {}, file);
      expect(await documents.update(origin, 'd1', {}, other)).to.deep.equal(E.left({ _tag: 'IdempotencyKeyReused' }));
      expect(removed).to.deep.equal([other.key]);
    });
  });

  it('leave the object to the sweep when nobody knows whether an event names it', async () => {
    const failure = new StoreUnavailable('the answer was lost');
    const lost = documentUseCases({ ...store, append: () => Promise.resolve(E.left(failure)) }, { remove });
    expect(await lost.update(put, 'd1', {}, file)).to.deep.equal(E.left(failure));
    const conflict = { _tag: 'RevisionConflict', expected: 0n, actual: 1n } as const;
    const contended = documentUseCases({ ...store, append: () => Promise.resolve(E.left(conflict)) }, { remove });
    expect(await contended.update(put, 'd1', {}, file)).to.deep.equal(
      E.left({ _tag: 'StreamContended', stream: 'document-d1' }),
    );
    expect(removed).to.deep.equal([]);
  });

  it('answer also when the object cannot be removed', async () => {
    const stuck = documentUseCases(store, {
      remove: () => Promise.resolve(E.left({ _tag: 'StorageUnavailable', cause: new Error('down') })),
    });
    expect(await stuck.update(put, 'd2', {}, file)).to.deep.equal(E.left({ _tag: 'DocumentNotFound' }));
  });
});
