import { PassThrough, Readable } from 'node:stream';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { type StoreUpload, withUpload } from '../../../src/application/document/with-upload.js';
import type { Outcome } from '../../../src/application/execute.js';
import type { ObjectStorage } from '../../../src/application/ports.js';
import { documentDecider } from '../../../src/domain/document/decide.js';
import type { StoredFile } from '../../../src/domain/document/events.js';
import type { DocumentState } from '../../../src/domain/document/state.js';
import { StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import { aDocumentCreated, aStoredFile } from '../../support/document-events.js';
import { FakeObjectStorage } from '../../support/fake-object-storage.js';
import { sometime } from '../../support/given.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const withFile = (file: StoredFile | null): Outcome<DocumentState> => {
  const created = aDocumentCreated({ file });
  const before = documentDecider.initialState;
  return {
    before,
    after: documentDecider.evolve(before, created, sometime),
    revision: 0n,
    createdAt: '',
    updatedAt: '',
    projected: true,
    replayed: false,
  };
};

const upload = (body = Readable.from([Buffer.from('content')])) => ({
  body,
  originalName: 'a.txt',
  declaredType: undefined,
});

const stored = async (store: StoreUpload): Promise<StoredFile> => {
  const outcome = await store(upload());
  if (E.isLeft(outcome)) throw new Error(outcome.left._tag);
  return outcome.right;
};

describe('a file that is stored before its event', () => {
  let storage: FakeObjectStorage;
  beforeEach(() => (storage = new FakeObjectStorage()));

  const kept = (): ReadonlyArray<string> => [...storage.objects.keys()];

  it('is kept when an event names it', async () => {
    const outcome = await withUpload(systemRuntime.random, storage)('d1', async (store) =>
      E.right(withFile(await stored(store))),
    );
    const after = E.isRight(outcome) && outcome.right.after._tag === 'Current' ? outcome.right.after : undefined;
    expect(kept()).to.deep.equal([after?.file?.key]);
    expect(kept()[0]).to.match(/^documents\/d1\//);
  });

  for (const [words, failure] of [
    ['the command is rejected', { _tag: 'DocumentNotFound' }],
    ['the precondition does not hold', { _tag: 'PreconditionFailed', current: 3n }],
    ['the form is at fault', { _tag: 'RequestInvalid', errors: [] }],
    ['the client has gone', { _tag: 'ClientGone' }],
  ] as const)
    it(`is removed when ${words}`, async () => {
      const outcome = await withUpload(systemRuntime.random, storage)('d1', async (store) => {
        await stored(store);
        return E.left(failure);
      });
      expect(outcome).to.deep.equal(E.left(failure));
      expect([storage.completed, kept()]).to.deep.equal([1, []]);
    });

  it('is removed when the command was a repeat, or changed nothing: the document names another', async () => {
    await withUpload(systemRuntime.random, storage)('d1', async (store) => {
      await stored(store);
      return E.right(withFile(aStoredFile({ key: 'documents/d1/first' })));
    });
    expect(kept()).to.deep.equal([]);
  });

  it('is removed when it has been stored only after the request was given up', async () => {
    const body = new PassThrough();
    const running = withUpload(systemRuntime.random, storage)('d1', (store) => {
      void store(upload(body));
      return Promise.resolve(E.left({ _tag: 'ClientGone' }));
    });
    body.end('content');
    await running;
    expect([storage.completed, kept()]).to.deep.equal([1, []]);
  });

  for (const failure of [
    new StoreUnavailable('no answer'),
    { _tag: 'StreamContended', stream: 'document-d1' },
    { _tag: 'UndecodableEvent' },
  ])
    it(`is kept when nobody knows whether the event was appended: ${failure._tag}`, async () => {
      const outcome = await withUpload(systemRuntime.random, storage)('d1', async (store) => {
        await stored(store);
        return E.left(failure);
      });
      expect(outcome).to.deep.equal(E.left(failure));
      expect(kept()).to.have.length(1);
    });

  it('is removed with every other that the request stored', async () => {
    await withUpload(systemRuntime.random, storage)('d1', async (store) => {
      await stored(store);
      await stored(store);
      return E.left({ _tag: 'DocumentNotFound' });
    });
    expect([storage.completed, kept()]).to.deep.equal([2, []]);
  });

  it('does not change the outcome when it cannot be removed: the sweep finds it', async () => {
    const rejection = { _tag: 'DocumentNotFound' } as const;
    const remove: ObjectStorage['remove'] = () =>
      Promise.resolve(E.left({ _tag: 'StorageUnavailable', cause: new Error('locked') }));
    const outcome = await withUpload(systemRuntime.random, { put: storage.put, remove })('d1', async (store) => {
      await stored(store);
      return E.left(rejection);
    });
    expect(outcome).to.deep.equal(E.left(rejection));
  });

  it('is not asked for when there is none', async () => {
    const remove: ObjectStorage['remove'] = () => Promise.reject(new Error('must not be called'));
    const run = () => Promise.resolve(E.right(withFile(null)));
    expect(E.isRight(await withUpload(systemRuntime.random, { put: storage.put, remove })('d1', run))).to.equal(true);
  });
});
