import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { type EventStore, StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import { encryptedStore } from '../../../src/event-sourcing/encryption/encrypted-store.js';
import { recordPath } from '../../../src/event-sourcing/encryption/key-tree.js';
import { makeEncryption } from '../../support/encrypted.js';
import { makeDecisions } from '../../../src/event-sourcing/decisions.js';
import type { StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { pageOf } from '../../support/page-of.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import type { Notebook } from '../../support/notebook.js';
import { aNotebook, aProcess, chainOf, handled, notesOf, open, take } from '../../support/command-handler.js';

const reused = E.left({ _tag: 'IdempotencyKeyReused' });

/** A store that carries out its next append and then says that it did not answer. */
const losingOneAnswer = (store: EventStore): EventStore => {
  let isLost = false;
  return {
    ...store,
    append: async (stream, expected, events) => {
      const outcome = await store.append(stream, expected, events);
      if (isLost) return outcome;
      isLost = true;
      return E.left(new StoreUnavailable('the answer was lost'));
    },
  };
};

/** A store that says of no append whether it was the first. */
const confirmingNothing = (store: EventStore): EventStore => ({
  ...store,
  append: async (stream, expected, events) =>
    E.map((appended: object) => ({ ...appended, confirmedNew: false }))(
      await store.append(stream, expected, events),
    ) as Awaited<ReturnType<EventStore['append']>>, // reason: it is that answer, with another flag
});

describe('a command under an idempotency key', () => {
  let store: EventStore;
  let stream: StreamName;
  let handle: ReturnType<typeof aProcess>;

  beforeEach(async () => {
    store = makeInMemoryEventStore();
    stream = aNotebook();
    handle = aProcess(store);
    await handle(stream, open);
  });

  it('answers its original result when it comes again, also after later events and in another process', async () => {
    const first = await handled(handle(stream, take('a', 'b'), { key: 'k1' }));
    await handle(stream, take('c'));
    const again = E.right({ ...first, replayed: true });
    expect(await handle(stream, take('a', 'b'), { key: 'k1' })).to.deep.equal(again);
    expect(await aProcess(store)(stream, take('a', 'b'), { key: 'k1' })).to.deep.equal(again);
    expect(await notesOf(store, stream)).to.deep.equal(['a', 'b', 'c']);
  });

  it('is refused when what it did is erased, whether the request is the same or not', async () => {
    const encryption = makeEncryption();
    const log = encryptedStore(store, encryption);
    const erasable = aNotebook();
    for (const command of [open, take('a')])
      await handled(aProcess(log)(erasable, command, { key: `for ${command._tag}` }));
    encryption.tree = encryption.tree.without([recordPath(erasable)]);
    for (const command of [take('a'), take('b')])
      expect(await aProcess(log)(erasable, command, { key: 'for Take' })).to.deep.equal(
        E.left({ _tag: 'ResultErased' }),
      );
  });

  it('holds up no other command of the stream while it is answered again', async () => {
    await handled(handle(stream, take('a'), { key: 'k1' }));
    let isHeld = false;
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const process = aProcess({
      ...store,
      async *readStream(name, range) {
        if (isHeld && range.limit !== undefined) await held;
        yield* store.readStream(name, range);
      },
    });
    await handled(process(stream, take('b')));
    isHeld = true;
    const again = process(stream, take('a'), { key: 'k1' });
    await handled(process(stream, take('c')));
    expect(await notesOf(store, stream)).to.deep.equal(['a', 'b', 'c']);
    letGo();
    expect((await handled(again)).replayed).to.equal(true);
  });

  it('is refused when it comes with another request', async () => {
    await handle(stream, take('a'), { key: 'k1' });
    expect(await handle(stream, take('b'), { key: 'k1' })).to.deep.equal(reused);
    expect(await aProcess(store)(stream, take('b'), { key: 'k1' })).to.deep.equal(reused);
    expect(await notesOf(store, stream)).to.deep.equal(['a']);
  });

  it('is carried out once when it comes many times at once, to one process or to several', async () => {
    const processes = [handle, handle, aProcess(store), aProcess(store), aProcess(store)];
    const outcomes = await Promise.all(processes.map((process) => handled(process(stream, take('a'), { key: 'k1' }))));
    expect(outcomes.map(({ revision }) => revision)).to.deep.equal([1n, 1n, 1n, 1n, 1n]);
    expect(outcomes.filter(({ replayed }) => !replayed)).to.have.length(1);
    expect(await notesOf(store, stream)).to.deep.equal(['a']);
  });

  it('is refused when two different requests under it come at once, one of them', async () => {
    const outcomes = await Promise.all([
      handle(stream, take('a'), { key: 'k1' }),
      aProcess(store)(stream, take('b'), { key: 'k1' }),
    ]);
    expect(outcomes.filter(E.isLeft)).to.deep.equal([reused]);
    expect(await notesOf(store, stream)).to.have.length(1);
  });

  it('meets its own first event when it created the stream', async () => {
    const fresh = aNotebook();
    const first = await handled(handle(fresh, open, { key: 'k1', fresh: true }));
    const again = await handled(aProcess(store)(fresh, open, { key: 'k1', fresh: true }));
    expect(again).to.deep.equal({ ...first, replayed: true });
    expect(await aProcess(store)(fresh, open, { key: 'k1', fresh: true, request: 'another' })).to.deep.equal(reused);
  });

  it('remembers nothing of a rejection', async () => {
    const closed = aNotebook();
    expect(await handle(closed, take('a'), { key: 'k1' })).to.deep.equal(E.left({ _tag: 'NotOpen' }));
    await handle(closed, open);
    expect((await handled(handle(closed, take('b'), { key: 'k1' }))).replayed).to.equal(false);
  });

  it('goes before preconditions when it comes again', async () => {
    const precondition = (current: unknown) => current === 0n;
    const first = await handled(handle(stream, take('a'), { key: 'k1', precondition }));
    await handle(stream, take('b'));
    expect(await handle(stream, take('a'), { key: 'k1', precondition })).to.deep.equal(
      E.right({ ...first, replayed: true }),
    );
  });

  it('is known for ever, also after more keys than a process remembers', async () => {
    const early = await handled(handle(stream, take('0'), { key: 'key 0' }));
    for (let count = 1; count < 1_100; count++)
      await handled(handle(stream, take(`${count}`), { key: `key ${count}` }));
    const again = E.right({ ...early, replayed: true });
    expect(await handle(stream, take('0'), { key: 'key 0' })).to.deep.equal(again);
    expect(await aProcess(store)(stream, take('0'), { key: 'key 0' })).to.deep.equal(again);
    expect(await handle(stream, take('other'), { key: 'key 0' })).to.deep.equal(reused);
    expect((await handled(handle(stream, take('1099'), { key: 'key 1099' }))).replayed).to.equal(true);
    expect((await handled(handle(stream, take('new'), { key: 'key new' }))).replayed).to.equal(false);
    expect(await chainOf(store, stream)).to.have.length(1_102);
  });

  describe('after more keys than a process remembers', () => {
    let process: ReturnType<typeof aProcess>;
    let isAway: boolean;
    /** How many events each search in the log was given. */
    let given: Array<number>;

    beforeEach(async () => {
      [isAway, given] = [false, []];
      process = aProcess({
        ...store,
        async *readStream(name, range) {
          if (range.direction === 'forwards') yield* store.readStream(name, range);
          else {
            if (isAway) throw new StoreUnavailable('away');
            given.push(0);
            for await (const page of store.readStream(name, range))
              for (const event of page) {
                given.push((given.pop() ?? 0) + 1);
                yield pageOf([event]);
              }
          }
        },
      });
      for (let count = 0; count < 1_100; count++)
        await handled(process(stream, take(`${count}`), { key: `key ${count}` }));
    });

    it('is searched for in the log from what is remembered down to where it is', async () => {
      expect((await handled(process(stream, take('500'), { key: 'key 500' }))).replayed).to.equal(true);
      expect(given).to.deep.equal([13]);
    });

    it('is searched for nowhere when it is new', async () => {
      expect((await handled(process(stream, take('new'), { key: 'key new' }))).replayed).to.equal(false);
      expect(given).to.deep.equal([]);
    });

    it('is carried out by no process that cannot search for it', async () => {
      isAway = true;
      const outcome = await process(stream, take('another'), { key: 'key 500' });
      expect(E.isLeft(outcome) && outcome.left._tag).to.equal('StoreUnavailable');
      expect(await chainOf(store, stream)).to.have.length(1_101);
    });
  });

  it('fails when its result cannot be read, and is not looked for once more', async () => {
    let fails = 1;
    const process = aProcess({
      ...store,
      async *readStream(name, range) {
        if (range.limit !== undefined && (fails -= 1) >= 0) throw new StoreUnavailable('away');
        yield* store.readStream(name, range);
      },
    });
    const first = await handled(process(stream, take('a'), { key: 'k1' }));
    const lost = await process(stream, take('a'), { key: 'k1' });
    expect(E.isLeft(lost) && lost.left._tag).to.equal('StoreUnavailable');
    expect(await handled(process(stream, take('a'), { key: 'k1' }))).to.deep.equal({ ...first, replayed: true });
  });

  it('is no repeat the first time, also where the store cannot tell', async () => {
    const unsure = confirmingNothing(store);
    const one = aProcess(unsure);
    expect((await handled(one(stream, take('a'), { key: 'k1' }))).replayed).to.equal(false);
    for (const process of [one, aProcess(unsure)])
      expect((await handled(process(stream, take('a'), { key: 'k1' }))).replayed).to.equal(true);
    expect(await notesOf(store, stream)).to.deep.equal(['a']);
  });

  it('is known in a process that begins with what the process before it had decided by it', async () => {
    const decisions = makeDecisions();
    const before = aProcess(store, { decisions });
    const first = await handled(before(stream, take('a'), { key: 'k1' }));
    const [event] = (await chainOf(store, stream)).slice(-1);
    const decision = decisions.endedBy(event!)!;
    // reason: decided by the decider of notebooks
    const snapshot = {
      ...decision,
      state: decision.state as Notebook,
      revision: event!.revision,
      creationPosition: 0n,
    };
    const after = aProcess(store, { findSnapshot: () => Promise.resolve(snapshot) });
    await handled(after(stream, take('b')));
    expect(await handled(after(stream, take('a'), { key: 'k1' }))).to.deep.equal({ ...first, replayed: true });
    expect(await notesOf(store, stream)).to.deep.equal(['a', 'b']);
  });

  it('answers the result that was stored although its acknowledgement was lost', async () => {
    const unlucky = aProcess(losingOneAnswer(store));
    const lost = await unlucky(stream, take('a'), { key: 'k1' });
    expect(E.isLeft(lost) && lost.left._tag).to.equal('StoreUnavailable');
    const again = await handled(unlucky(stream, take('a'), { key: 'k1' }));
    expect([again.revision, again.replayed]).to.deep.equal([1n, true]);
    expect(await notesOf(store, stream)).to.deep.equal(['a']);
  });
});
