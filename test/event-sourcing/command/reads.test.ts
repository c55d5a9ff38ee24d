import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { Snapshot } from '../../../src/event-sourcing/command/snapshot.js';
import { makeDecisions } from '../../../src/event-sourcing/decisions.js';
import { type EventStore, StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import type { Revision, StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { aNotebook, aProcess, chainOf, handled, open, take } from '../../support/command-handler.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { makeManualClock } from '../../support/manual-clock.js';
import type { Notebook } from '../../support/notebook.js';

const OPENED_AT = '2026-01-02T03:04:05.678Z';
const LATER = '2026-01-02T03:04:06.678Z';

describe('what a command reads of its stream', () => {
  let store: EventStore;
  let stream: StreamName;
  /** From where it was read, each time. */
  let reads: Array<Revision | undefined>;
  let watched: EventStore;

  beforeEach(async () => {
    store = makeInMemoryEventStore();
    stream = aNotebook();
    reads = [];
    watched = {
      ...store,
      readStream: (name, range) => {
        reads.push(range.from);
        return store.readStream(name, range);
      },
    };
    await handled(aProcess(store)(stream, open));
    await handled(aProcess(store)(stream, take('a')));
  });

  it('is all of it the first time, and after that nothing while others append nothing', async () => {
    const handle = aProcess(watched);
    await handled(handle(stream, take('b')));
    expect(reads).to.deep.equal([0n]);
    await handled(handle(stream, take('c')));
    await handled(handle(stream, take('d'), { key: 'k1' }));
    await handled(handle(stream, take('e')));
    expect(reads).to.deep.equal([0n]);
  });

  it('is once what comes behind the event that it knows, before it refuses or changes nothing', async () => {
    const handle = aProcess(watched);
    await handled(handle(stream, take('b')));
    expect(E.isLeft(await handle(stream, open))).to.equal(true);
    await handled(handle(stream, take('b')));
    expect(reads).to.deep.equal([0n, 2n, 2n]);
    await handled(handle(stream, take('c')));
    expect(reads).to.deep.equal([0n, 2n, 2n]);
  });

  it('is once what others have appended behind the event that it knows', async () => {
    const handle = aProcess(watched);
    await handled(handle(stream, take('b')));
    await handled(aProcess(store)(stream, take('c')));
    expect((await handled(handle(stream, take('d')))).after.notes).to.deep.equal(['a', 'b', 'c', 'd']);
    expect(reads).to.deep.equal([0n, 2n]);
  });

  it('is remembered when it was only read', async () => {
    const handle = aProcess(watched);
    expect(E.isLeft(await handle(stream, open))).to.equal(true);
    await handled(handle(stream, take('b')));
    expect(reads).to.deep.equal([0n]);
  });

  it('is all of it again after an append of which nobody knows whether it took place', async () => {
    let isLost = false;
    const handle = aProcess({
      ...watched,
      append: async (...append) => {
        const outcome = await store.append(...append);
        return isLost ? E.left(new StoreUnavailable('the answer was lost')) : outcome;
      },
    });
    await handled(handle(stream, take('b')));
    isLost = true;
    expect(E.isLeft(await handle(stream, take('c')))).to.equal(true);
    isLost = false;
    expect((await handled(handle(stream, take('d')))).revision).to.equal(4n);
    expect(reads).to.deep.equal([0n, 0n]);
  });

  it('is nothing that it remembers while the stream is not there', async () => {
    const handle = aProcess(watched);
    const absent = aNotebook();
    for (const _ of [1, 2]) expect(E.isLeft(await handle(absent, take('a')))).to.equal(true);
    await handled(handle(absent, open));
    expect(reads).to.deep.equal([0n, 0n, 0n]);
  });

  const snapshotOf = async (hasKeyedCommands: boolean): Promise<Snapshot<Notebook>> => {
    const last = (await chainOf(store, stream)).at(-1);
    // reason: written by the kernel
    const { hash, at } = JSON.parse(last?.metadata ?? '') as { readonly hash: string; readonly at: string };
    const state = { isOpen: true, notes: ['a'], lastAt: at };
    return { state, revision: 1n, creationPosition: 1n, lastHash: hash, createdAt: at, lastAt: at, hasKeyedCommands };
  };

  const snapshots = [
    { of: 'with keyed commands', hasKeyedCommands: true, key: undefined, expected: [] },
    { of: 'without keyed commands', hasKeyedCommands: false, key: undefined, expected: [] },
    { of: 'without keyed commands, under a key', hasKeyedCommands: false, key: 'k1', expected: [] },
    { of: 'with keyed commands, under a key', hasKeyedCommands: true, key: 'k1', expected: [0n] },
  ];

  for (const { of, hasKeyedCommands, key, expected } of snapshots)
    it(`is ${expected.length === 0 ? 'nothing' : 'all of it'} where there is a snapshot of a stream ${of}`, async () => {
      const snapshot = await snapshotOf(hasKeyedCommands);
      const handle = aProcess(watched, { findSnapshot: () => Promise.resolve(snapshot) });
      const { after } = await handled(handle(stream, take('b'), key === undefined ? {} : { key }));
      expect([after.notes, reads]).to.deep.equal([['a', 'b'], expected]);
    });

  it('has its own events, where the store says that somebody else was faster', async () => {
    const handle = aProcess({
      ...store,
      append: async (name, expected, events) => {
        await store.append(name, expected, events);
        return E.left({ _tag: 'RevisionConflict', expected, actual: 2n });
      },
    });
    const { events, revision } = await handled(handle(stream, take('b')));
    expect([events, revision]).to.deep.equal([[{ type: 'NoteTaken', data: { text: 'b' } }], 2n]);
  });
});

describe('what a command leaves of its decision', () => {
  let store: EventStore;
  let stream: StreamName;

  beforeEach(async () => {
    store = makeInMemoryEventStore();
    stream = aNotebook();
    await handled(aProcess(store)(aNotebook(), open));
  });

  /** A process a second after the one before it, and what it left of its last decision. */
  const aProcessAt = (at: string) => {
    const decisions = makeDecisions();
    const handle = aProcess(store, {
      decisions,
      runtime: { ...systemRuntime, clock: makeManualClock(new Date(at)) },
    });
    const left = async () => {
      const [last] = (await chainOf(store, stream)).slice(-1);
      const found = last && decisions.endedBy(last);
      return (
        found && {
          creationPosition: found.creationPosition,
          createdAt: found.createdAt,
          lastAt: found.lastAt,
          hasKeyedCommands: found.hasKeyedCommands,
        }
      );
    };
    return { handle, left };
  };

  const created = { creationPosition: 2n, createdAt: OPENED_AT };

  it('is where and when its entity began, whether it was made, read or gone on with', async () => {
    const first = aProcessAt(OPENED_AT);
    await handled(first.handle(stream, open));
    const opened = { creationPosition: undefined, createdAt: OPENED_AT, lastAt: OPENED_AT, hasKeyedCommands: false };
    expect(await first.left()).to.deep.equal(opened);
    await handled(first.handle(stream, take('a')));
    expect(await first.left()).to.deep.equal({ ...created, lastAt: OPENED_AT, hasKeyedCommands: false });
    const second = aProcessAt(LATER);
    for (const note of ['b', 'c']) {
      await handled(second.handle(stream, take(note)));
      expect(await second.left()).to.deep.equal({ ...created, lastAt: LATER, hasKeyedCommands: false });
    }
    const third = aProcessAt(LATER);
    expect((await handled(third.handle(stream, take('a')))).createdAt).to.equal(OPENED_AT);
    await handled(third.handle(stream, take('d')));
    expect(await third.left()).to.deep.equal({ ...created, lastAt: LATER, hasKeyedCommands: false });
  });

  it('says whether there is a command under a key, from the first one on and in every process', async () => {
    const first = aProcessAt(OPENED_AT);
    await handled(first.handle(stream, open));
    for (const [note, over] of [['a', { key: 'k1' }] as const, ['b', {}] as const]) {
      await handled(first.handle(stream, take(note), over));
      expect(await first.left()).to.have.property('hasKeyedCommands', true);
    }
    const second = aProcessAt(LATER);
    await handled(second.handle(stream, take('c')));
    expect(await second.left()).to.have.property('hasKeyedCommands', true);
  });
});
