import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { admitUpload } from '../../../src/application/document/admit-upload.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { aDocumentCreated, aDocumentUpdated } from '../../support/document-events.js';
import { downEventStore } from '../../support/down-event-store.js';
import { givenStream } from '../../support/given-stream.js';
import { from } from '../../support/use-cases.js';

const put = from('PUT /document/d1');

describe('admitting an upload', () => {
  let store: EventStore;

  beforeEach(async () => {
    store = makeInMemoryEventStore();
    await givenStream(store, 'document-d1', [aDocumentCreated()], [aDocumentUpdated()]);
  });

  it('takes one for a document that exists', async () => {
    expect(await admitUpload(store)(put, 'd1')).to.deep.equal(E.right(undefined));
  });

  it('refuses one for a document that does not', async () => {
    expect(await admitUpload(store)({ ...put, precondition: () => false }, 'd2')).to.deep.equal(
      E.left({ _tag: 'DocumentNotFound' }),
    );
  });

  it('asks the precondition about the newest revision', async () => {
    const at = (revision: bigint) => ({ ...put, precondition: (current: unknown) => current === revision });
    expect(await admitUpload(store)(at(1n), 'd1')).to.deep.equal(E.right(undefined));
    expect(await admitUpload(store)(at(0n), 'd1')).to.deep.equal(E.left({ _tag: 'PreconditionFailed', current: 1n }));
  });

  it('takes one under a key whose precondition fails, for it may be a repeat', async () => {
    const repeat = { ...put, idempotencyKey: 'k', precondition: () => false };
    expect(await admitUpload(store)(repeat, 'd1')).to.deep.equal(E.right(undefined));
  });

  it('fails as a value when the store does not answer', async () => {
    const { store: down, failure } = downEventStore();
    expect(await admitUpload(down)(put, 'd1')).to.deep.equal(E.left(failure));
  });
});
