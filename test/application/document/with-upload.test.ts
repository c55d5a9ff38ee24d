import { Readable } from 'node:stream';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { keepOrDiscard } from '../../../src/application/document/keep-or-discard.js';
import type { Outcome } from '../../../src/application/execute.js';
import type { ObjectStorage } from '../../../src/application/ports.js';
import { documentDecider } from '../../../src/domain/document/decide.js';
import type { StoredFile } from '../../../src/domain/document/events.js';
import type { DocumentState } from '../../../src/domain/document/state.js';
import { StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import { aDocumentCreated, aStoredFile } from '../../support/document-events.js';
import { FakeObjectStorage } from '../../support/fake-object-storage.js';
import { sometime } from '../../support/given.js';

const KEY = 'documents/d1/new';

const withFile = (file: StoredFile | null): Outcome<DocumentState> => {
  const created = aDocumentCreated({ file });
  const before = documentDecider.initialState;
  return { before, after: documentDecider.evolve(before, created, sometime), revision: 0n, projected: true };
};

describe('a file that is stored before its event', () => {
  let storage: FakeObjectStorage;
  const file = aStoredFile({ key: KEY });
  beforeEach(async () => {
    storage = new FakeObjectStorage();
    await storage.put(KEY, Readable.from([Buffer.from('content')]));
  });

  const isKept = (): boolean => storage.objects.has(KEY);

  it('is kept when an event names it', async () => {
    const outcome = withFile(file);
    expect(await keepOrDiscard(storage)(file, () => Promise.resolve(E.right(outcome)))).to.deep.equal(E.right(outcome));
    expect(isKept()).to.equal(true);
  });

  for (const [words, rejection] of [
    ['refused', { _tag: 'DocumentNotFound' }],
    ['refused by its precondition', { _tag: 'PreconditionFailed', current: 3n }],
  ] as const)
    it(`is removed when the command is ${words}`, async () => {
      expect(await keepOrDiscard(storage)(file, () => Promise.resolve(E.left(rejection)))).to.deep.equal(
        E.left(rejection),
      );
      expect(isKept()).to.equal(false);
    });

  it('is removed when the command was a repeat, or changed nothing: the document names another', async () => {
    await keepOrDiscard(storage)(file, () =>
      Promise.resolve(E.right(withFile(aStoredFile({ key: 'documents/d1/first' })))),
    );
    expect(isKept()).to.equal(false);
  });

  it('is kept when nobody knows whether the event was appended', async () => {
    const failure = new StoreUnavailable('no answer');
    expect(await keepOrDiscard(storage)(file, () => Promise.resolve(E.left(failure)))).to.deep.equal(E.left(failure));
    expect(isKept()).to.equal(true);
  });

  it('does not change the answer when it cannot be removed: the sweep finds it', async () => {
    const rejection = { _tag: 'DocumentNotFound' } as const;
    const remove: ObjectStorage['remove'] = () =>
      Promise.resolve(E.left({ _tag: 'StorageUnavailable', cause: new Error('locked') }));
    expect(await keepOrDiscard({ remove })(file, () => Promise.resolve(E.left(rejection)))).to.deep.equal(
      E.left(rejection),
    );
  });

  it('is asked nothing of when there is none', async () => {
    const remove: ObjectStorage['remove'] = () => Promise.reject(new Error('must not be called'));
    for (const none of [null, undefined])
      expect(E.isRight(await keepOrDiscard({ remove })(none, () => Promise.resolve(E.right(withFile(null)))))).to.equal(
        true,
      );
  });
});
