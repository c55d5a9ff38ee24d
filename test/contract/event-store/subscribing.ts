import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { CheckpointNotInLog, type LogBatch } from '../../../src/event-sourcing/event-store.js';
import { checkpointAt, type From, type StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import {
  aCategory,
  anEvent,
  appended,
  aStream,
  batchesUntil,
  eventsOf,
  someEvents,
  type StoreUnderTest,
} from './store-under-test.js';

const WRITERS = 64;
const EACH = 8;

const idsOf = (events: ReadonlyArray<{ readonly id: string }>): ReadonlyArray<string> => events.map(({ id }) => id);

export const subscribing = (store: StoreUnderTest): void => {
  let leaving: AbortController;
  beforeEach(() => {
    leaving = new AbortController();
  });
  afterEach(() => {
    leaving.abort();
  });

  const follow = (after: From, ...categories: ReadonlyArray<string>): AsyncIterable<LogBatch> =>
    store().subscribe({ after, categories }, leaving.signal);

  const take = (count: number, after: From, ...categories: ReadonlyArray<string>): Promise<Array<LogBatch>> =>
    batchesUntil(follow(after, ...categories), (events) => events.length >= count);

  const write = async (category: string): Promise<void> => {
    const stream = aStream(category);
    await appended(store(), stream, 'no-stream', anEvent());
    for (let revision = 0n; revision < BigInt(EACH - 1); revision++)
      await appended(store(), stream, revision, anEvent());
  };

  const expectWholeLog = (events: ReadonlyArray<StoredEvent>): void => {
    const positions = events.map(({ position }) => position);
    expect(positions).to.deep.equal([...new Set(positions)].sort((a, b) => Number(a - b)));
    const revisions = new Map<string, Array<bigint>>();
    for (const { stream, revision } of events) revisions.set(stream, [...(revisions.get(stream) ?? []), revision]);
    const complete = Array.from({ length: EACH }, (_, index) => BigInt(index));
    expect([...revisions.values()]).to.deep.equal(Array.from({ length: WRITERS }, () => complete));
  };

  it('catches up with what is there and goes on with what comes', async () => {
    const category = aCategory();
    const before = someEvents(3);
    const later = someEvents(2);
    await appended(store(), aStream(category), 'no-stream', ...before);
    const live = follow('start', category)[Symbol.asyncIterator]();
    const seen: Array<StoredEvent> = [];
    const pull = async (count: number): Promise<void> => {
      while (seen.length < count) seen.push(...((await live.next()).value as LogBatch).events); // reason: it does not end
    };
    await pull(3);
    const next = pull(5);
    await appended(store(), aStream(category), 'no-stream', ...later);
    await next;
    expect(idsOf(seen)).to.deep.equal(idsOf([...before, ...later]));
  });

  it('gives every event once and in order while 64 writers append', async () => {
    const category = aCategory();
    const other = aCategory();
    const writing = Array.from({ length: WRITERS }, () => write(category));
    const beside = Array.from({ length: 8 }, () => write(other));
    const [live] = await Promise.all([take(WRITERS * EACH, 'start', category), ...writing, ...beside]);
    expectWholeLog(eventsOf(live));
    expectWholeLog(eventsOf(await take(WRITERS * EACH, 'start', category)));
  });

  it('serves subscribers that begin at different times alike', async () => {
    const category = aCategory();
    const early = take(WRITERS * EACH, 'start', category);
    const writing = Array.from({ length: WRITERS }, () => write(category));
    await Promise.race(writing);
    const late = take(WRITERS * EACH, 'start', category);
    await Promise.all(writing);
    const seen = eventsOf(await early);
    expectWholeLog(seen);
    expect(eventsOf(await late)).to.deep.equal(seen);
  });

  it('resumes from every checkpoint it gave, leaving out and repeating nothing', async () => {
    const category = aCategory();
    const live = take(80, 'start', category);
    for (let count = 0; count < 40; count++) {
      await appended(store(), aStream(category), 'no-stream', ...someEvents(2));
      await appended(store(), aStream(aCategory()), 'no-stream', anEvent());
    }
    const batches = await live;
    const all = idsOf(eventsOf(batches));
    let seen = 0;
    for (const { events, checkpoint } of batches) {
      seen += events.length;
      if (seen < all.length)
        expect(idsOf(eventsOf(await take(all.length - seen, checkpoint, category)))).to.deep.equal(all.slice(seen));
    }
    expect(all).to.have.length(80);
  });

  it('resumes wherever the log ended when it had caught up, and sees what is appended there', async () => {
    const category = aCategory();
    const { position } = await appended(store(), aStream(category), 'no-stream', anEvent());
    // more than a page of any adapter, one event at a time
    for (let count = 0; count < 70; count++) {
      await appended(store(), aStream(aCategory()), 'no-stream', anEvent());
      let reached = checkpointAt(position);
      for await (const { checkpoint } of store().readAll({ after: reached, categories: [category] }))
        reached = checkpoint;
      expect(await store().reaches(reached)).to.deep.equal(E.right(true));
      if (count % 2 === 0) continue;
      const next = anEvent();
      await appended(store(), aStream(category), 'no-stream', next);
      expect(idsOf(eventsOf(await take(1, reached, category)))).to.deep.equal([next.id]);
    }
  });

  it('moves its checkpoint over events of other categories and never backwards', async () => {
    const category = aCategory();
    await appended(store(), aStream(category), 'no-stream', anEvent());
    const live = batchesUntil(follow('start', category), (events) => events.length >= 2);
    for (let count = 0; count < 20; count++) await appended(store(), aStream(aCategory()), 'no-stream', anEvent());
    const { position } = await appended(store(), aStream(category), 'no-stream', anEvent());
    const checkpoints = (await live).map(({ checkpoint }) => checkpoint.commit);
    expect(checkpoints).to.deep.equal(checkpoints.toSorted((a, b) => Number(a - b)));
    expect(checkpoints.at(-1)! >= position).to.equal(true);
  });

  it('ends without error when it is aborted: waiting, between two pulls, and before the first', async () => {
    const category = aCategory();
    await appended(store(), aStream(category), 'no-stream', anEvent());
    const events: Array<StoredEvent> = [];
    const waiting = (async () => {
      for await (const batch of follow('start', category)) {
        events.push(...batch.events);
        if (events.length === 1) setImmediate(() => leaving.abort());
      }
    })();
    await waiting;
    expect(events).to.have.length(1);
    expect(await batchesUntil(follow('start', category), () => true)).to.deep.equal([]);
  });

  for (const [words, distance] of [
    ['just', 1n],
    ['far', 1_000_000_000n],
  ] as const)
    it(`refuses a checkpoint ${words} beyond the end of the log`, async () => {
      const { position } = await appended(store(), aStream(), 'no-stream', anEvent());
      const commit = position + distance;
      const checkpoint = { commit, prepare: commit };
      const failure: unknown = await take(1, checkpoint).then(undefined, (error: unknown) => error);
      expect(failure).to.be.instanceOf(CheckpointNotInLog);
      expect((failure as CheckpointNotInLog).checkpoint).to.deep.equal(checkpoint); // reason: tested above
      expect(await store().reaches(checkpoint)).to.deep.equal(E.right(false));
    });

  it('reaches each checkpoint that a reader was given', async () => {
    const category = aCategory();
    await appended(store(), aStream(category), 'no-stream', anEvent());
    const [batch] = await batchesUntil(follow('start', category), () => true);
    expect(await store().reaches(batch!.checkpoint)).to.deep.equal(E.right(true));
  });
};
