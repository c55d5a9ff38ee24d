import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { forEachEvent } from '../../src/event-sourcing/for-each-event.js';
import { aNotebook, aProcess, open } from '../support/command-handler.js';
import { downEventStore } from '../support/down-event-store.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { notebookSerde } from '../support/notebook.js';

const forwards = { direction: 'forwards' } as const;

describe('going through the events of a stream', () => {
  it('fails with what the store failed with', async () => {
    const { store, failure } = downEventStore();
    expect(await forEachEvent(store, notebookSerde, aNotebook(), forwards, () => true)).to.deep.equal(E.left(failure));
  });

  it('never takes a fault of the visitor for one of the store', async () => {
    const [store, stream, bug] = [makeInMemoryEventStore(), aNotebook(), new Error('a bug')];
    expect(E.isRight(await aProcess(store)(stream, open))).to.equal(true);
    const visiting = forEachEvent(store, notebookSerde, stream, forwards, () => {
      throw bug;
    });
    expect(await visiting.catch((error: unknown) => error)).to.equal(bug);
  });
});
