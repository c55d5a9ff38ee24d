import { Readable } from 'node:stream';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { CommandContext } from '../../../src/application/command-context.js';
import type { StoreUpload } from '../../../src/application/document/with-upload.js';
import type { StoredFile } from '../../../src/domain/document/events.js';
import { type EventStore, StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import type { ExpectedRevision } from '../../../src/event-sourcing/recorded-event.js';
import { FakeObjectStorage } from '../../support/fake-object-storage.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { givenStream } from '../../support/given-stream.js';
import { documentUseCases, factsIn, from } from '../../support/use-cases.js';

const fields = { name: 'Contract', description: null, tags: [], type: 'Offer', entityType: 'Offer', entity: null };
const file = { key: 'documents/d1/f1', size: 3, sha256: 'aa', mimeType: 'text/plain', originalName: 'a.txt' };
const stamp = { by: 'alice', at: '2026-01-02T03:04:05.678Z' };
const plain = { _tag: 'Current', fields, createdType: 'Offer', file: null, uploaded: null, generated: stamp };

const stored = async (store: StoreUpload, content: string): Promise<StoredFile> => {
  const outcome = await store({
    body: Readable.from([Buffer.from(content)]),
    originalName: 'a.txt',
    declaredType: 'text/plain',
  });
  if (E.isLeft(outcome)) throw new Error(outcome.left._tag);
  return outcome.right;
};

const replayed = E.map((outcome: object) => ({ ...outcome, replayed: true }));

describe('the use cases of documents', () => {
  let store: EventStore;
  let storage: FakeObjectStorage;
  let documents: ReturnType<typeof documentUseCases>;

  const kept = (): ReadonlyArray<string> => [...storage.objects.keys()];

  beforeEach(async () => {
    store = makeInMemoryEventStore();
    storage = new FakeObjectStorage();
    documents = documentUseCases(store, storage);
    await givenStream(store, 'document-d1', [{ type: 'DocumentCreated', data: { ...fields, file: null } }]);
  });

  const put = from('PUT /document/d1');
  const post = from('POST /document');
  const updateWith = (context: CommandContext, id: string, content: string) =>
    documents.withUpload(id, async (upload) => documents.update(context, id, {}, await stored(upload, content)));

  const newFacts = async () => (await factsIn(store, 'document-d1')).slice(1);

  it('create a document under the ids its file was stored for, with one event', async () => {
    const ids = documents.idsOf(post);
    const result = await documents.create(post, ids, { name: 'Contract', type: 'Offer' }, file);
    expect(result).to.deep.equal(
      E.right({
        before: { _tag: 'NotCreated' },
        after: { ...plain, file, uploaded: stamp, generated: null },
        revision: 0n,
        createdAt: stamp.at,
        updatedAt: stamp.at,
        projected: true,
        replayed: false,
      }),
    );
    expect(await factsIn(store, `document-${ids.entityId}`)).to.deep.equal([
      { type: 'DocumentCreated', data: { ...fields, file } },
    ]);
  });

  it('update fields and file with one event', async () => {
    expect(await documents.update(put, 'd1', { name: 'New' }, file)).to.deep.equal(
      E.right({
        before: plain,
        after: { ...plain, fields: { ...fields, name: 'New' }, file, uploaded: stamp },
        revision: 1n,
        createdAt: stamp.at,
        updatedAt: stamp.at,
        projected: true,
        replayed: false,
      }),
    );
    expect(await newFacts()).to.deep.equal([{ type: 'DocumentUpdated', data: { changes: { name: 'New' }, file } }]);
  });

  it('append nothing when nothing changes', async () => {
    expect(await documents.update(put, 'd1', { name: 'Contract' }, undefined)).to.deep.equal(
      E.right({
        before: plain,
        after: plain,
        revision: 0n,
        createdAt: stamp.at,
        updatedAt: stamp.at,
        projected: true,
        replayed: false,
      }),
    );
    expect(await newFacts()).to.deep.equal([]);
  });

  describe('remove the file again', () => {
    it('of one that is the same as the present one', async () => {
      await updateWith(put, 'd1', 'content');
      const [first] = kept();
      await updateWith(put, 'd1', 'content');
      expect(await newFacts()).to.have.length(1);
      expect(kept()).to.deep.equal([first]);
    });

    it('of an update that is rejected', async () => {
      expect(await updateWith(put, 'd2', 'content')).to.deep.equal(E.left({ _tag: 'DocumentNotFound' }));
      const stale = { ...put, precondition: (current: ExpectedRevision) => current === 7n };
      expect(await updateWith(stale, 'd1', 'content')).to.deep.equal(
        E.left({ _tag: 'PreconditionFailed', current: 0n }),
      );
      expect([storage.completed, kept()]).to.deep.equal([2, []]);
    });

    it('of a repeat, whose original keeps its own', async () => {
      const origin = { ...put, idempotencyKey: 'k' };
      const original = await updateWith(origin, 'd1', 'content');
      const [first] = kept();
      expect(await updateWith(origin, 'd1', 'content')).to.deep.equal(replayed(original));
      expect([storage.completed, kept()]).to.deep.equal([2, [first]]);
    });

    it('of a create that is a repeat', async () => {
      const origin = { ...post, idempotencyKey: 'k' };
      const ids = documents.idsOf(origin);
      const create = () =>
        documents.withUpload(ids.entityId, async (store) =>
          documents.create(origin, ids, { name: 'Contract' }, await stored(store, 'content')),
        );
      const original = await create();
      const [first] = kept();
      expect(await create()).to.deep.equal(replayed(original));
      expect([storage.completed, kept()]).to.deep.equal([2, [first]]);
    });

    it('of a key that came with other bytes', async () => {
      const origin = { ...put, idempotencyKey: 'k' };
      await updateWith(origin, 'd1', 'content');
      const [first] = kept();
      expect(await updateWith(origin, 'd1', 'other')).to.deep.equal(E.left({ _tag: 'IdempotencyKeyReused' }));
      expect(kept()).to.deep.equal([first]);
    });
  });

  it('leave the file to the sweep when nobody knows whether an event names it', async () => {
    const failure = new StoreUnavailable('the answer was lost');
    documents = documentUseCases({ ...store, append: () => Promise.resolve(E.left(failure)) }, storage);
    expect(await updateWith(put, 'd1', 'content')).to.deep.equal(E.left(failure));
    const conflict = { _tag: 'RevisionConflict', expected: 0n, actual: 1n } as const;
    documents = documentUseCases({ ...store, append: () => Promise.resolve(E.left(conflict)) }, storage);
    expect(await updateWith(put, 'd1', 'content')).to.deep.equal(
      E.left({ _tag: 'StreamContended', stream: 'document-d1' }),
    );
    expect(kept()).to.have.length(2);
  });
});
