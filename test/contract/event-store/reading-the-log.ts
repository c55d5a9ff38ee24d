import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { Appended, LogBatch } from '../../../src/event-sourcing/event-store.js';
import { checkpointOf, type From } from '../../../src/event-sourcing/recorded-event.js';
import {
  aCategory,
  appended,
  aStream,
  batchesOf,
  collect,
  eventsOf,
  someEvents,
  type StoreUnderTest,
} from './store-under-test.js';

export const readingTheLog = (store: StoreUnderTest): void => {
  const read = (after: From, ...categories: ReadonlyArray<string>): Promise<Array<LogBatch>> =>
    batchesOf(store().readAll({ after, categories }));

  const idsAfter = async (after: From, ...categories: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
    eventsOf(await read(after, ...categories)).map(({ id }) => id);

  it('has the events of one append side by side, between concurrent appends too', async () => {
    const category = aCategory();
    await Promise.all(
      Array.from({ length: 32 }, () => appended(store(), aStream(category), 'no-stream', ...someEvents(3))),
    );
    const events = eventsOf(await read('start', category));
    expect(events).to.have.length(96);
    for (let index = 0; index < events.length; index += 3) {
      const together = events.slice(index, index + 3);
      expect(new Set(together.map(({ stream }) => stream)).size).to.equal(1);
      expect(together.map(({ revision }) => revision)).to.deep.equal([0n, 1n, 2n]);
    }
  });

  it('has strictly growing positions, and acknowledges an append with the one of its last event', async () => {
    const category = aCategory();
    const acknowledged = await Promise.all(
      Array.from({ length: 64 }, () => appended(store(), aStream(category), 'no-stream', ...someEvents(2))),
    );
    const events = eventsOf(await read('start', category));
    for (const [index, event] of events.entries())
      if (index > 0) expect(event.position > events[index - 1]!.position).to.equal(true);
    const lasts = events.filter(({ revision }) => revision === 1n).map(({ position }) => position);
    expect(new Set(acknowledged.map(({ position }: Appended) => position))).to.deep.equal(new Set(lasts));
  });

  it('gives the same stored event as its stream does', async () => {
    const category = aCategory();
    const stream = aStream(category);
    await appended(store(), stream, 'no-stream', ...someEvents(2));
    const events = await collect(store().readStream(stream, { direction: 'forwards' }));
    expect(eventsOf(await read('start', category))).to.deep.equal(events);
  });

  it('filters by category and gives all of ours without a filter', async () => {
    const [one, two] = [aCategory(), aCategory()];
    const first = await appended(store(), aStream('business'), 'no-stream', ...someEvents(1));
    const after = { commit: first.position, prepare: first.position };
    const ofOne = someEvents(2);
    const ofTwo = someEvents(2);
    const business = someEvents(1);
    const document = someEvents(1);
    await appended(store(), aStream(one), 'no-stream', ...ofOne);
    await appended(store(), aStream(two), 'no-stream', ...ofTwo);
    await appended(store(), aStream('business'), 'no-stream', ...business);
    await appended(store(), aStream('document'), 'no-stream', ...document);
    const ids = (...lists: ReadonlyArray<ReadonlyArray<{ readonly id: string }>>) => lists.flat().map(({ id }) => id);
    expect(await idsAfter(after, one)).to.deep.equal(ids(ofOne));
    expect(await idsAfter(after, one, two)).to.deep.equal(ids(ofOne, ofTwo));
    expect(await idsAfter('start', two)).to.deep.equal(ids(ofTwo));
    expect(await idsAfter('start', aCategory())).to.deep.equal([]);
    const all = eventsOf(await batchesOf(store().readAll({ after }))).map(({ id }) => id);
    expect(all.filter((id) => ids(business, document).includes(id))).to.deep.equal(ids(business, document));
  });

  it('does not take a category for another one that it begins with', async () => {
    const category = aCategory();
    const events = someEvents(1);
    await appended(store(), aStream(`${category}x`), 'no-stream', ...someEvents(1));
    await appended(store(), aStream(category), 'no-stream', ...events);
    expect(await idsAfter('start', category)).to.deep.equal([events[0].id]);
  });

  it('resumes behind any event and behind any checkpoint, leaving out and repeating nothing', async () => {
    const category = aCategory();
    for (let count = 0; count < 6; count++) {
      await appended(store(), aStream(category), 'no-stream', ...someEvents(110));
      await appended(store(), aStream(aCategory()), 'no-stream', ...someEvents(110));
    }
    const batches = await read('start', category);
    const all = eventsOf(batches).map(({ id }) => id);
    expect(all).to.have.length(660);
    let seen = 0;
    for (const { events, checkpoint } of batches) {
      for (const { position } of events) expect(position <= checkpoint.commit).to.equal(true);
      seen += events.length;
      expect(await idsAfter(checkpoint, category)).to.deep.equal(all.slice(seen));
    }
    for (const index of [0, 1, 108, 109, 110, 499, 500, 658, 659])
      expect(await idsAfter(checkpointOf(eventsOf(batches)[index]!), category)).to.deep.equal(all.slice(index + 1));
  });

  it('ends at the head, and its checkpoint has then passed every event', async () => {
    const category = aCategory();
    const { position } = await appended(store(), aStream(category), 'no-stream', ...someEvents(3));
    const batches = await read('start', category);
    expect(batches.at(-1)!.checkpoint.commit >= position).to.equal(true);
    expect(eventsOf(await read(batches.at(-1)!.checkpoint, category))).to.deep.equal([]);
  });

  it('lets readers stop early without keeping others from reading', async () => {
    const category = aCategory();
    await appended(store(), aStream(category), 'no-stream', ...someEvents(1_100));
    for (let stopped = 0; stopped < 50; stopped++)
      for await (const { events } of store().readAll({ after: 'start', categories: [category] }))
        if (events.length > 0) break;
    expect(await idsAfter('start', category)).to.have.length(1_100);
  });

  it('knows the position of the newest event, of given categories or of all', async () => {
    const [one, two] = [aCategory(), aCategory()];
    expect(await store().head([one, two])).to.deep.equal(E.right(undefined));
    const first = await appended(store(), aStream(one), 'no-stream', ...someEvents(2));
    const second = await appended(store(), aStream(two), 'no-stream', ...someEvents(1));
    const third = await appended(store(), aStream('document'), 'no-stream', ...someEvents(1));
    expect(await store().head([one])).to.deep.equal(E.right(first.position));
    expect(await store().head([two, one])).to.deep.equal(E.right(second.position));
    expect(await store().head()).to.deep.equal(E.right(third.position));
  });

  it('is named by one identity', async () => {
    const identity = await store().identity();
    await appended(store(), aStream(), 'no-stream', ...someEvents(1));
    expect(E.isRight(identity) && identity.right !== '').to.equal(true);
    expect(await store().identity()).to.deep.equal(identity);
  });
};
