import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { ByStream, KeyRange } from '../../../src/event-sourcing/event-store.js';
import type { Position, StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import { aCategory, anEvent, appended, aStream, collect, someEvents, type StoreUnderTest } from './store-under-test.js';
import { needs } from '../../support/needs.js';

const LAST = 2n ** 62n;

/** Of stores that can; the others leave `byStream` out. */
export const readingByStream = (store: StoreUnderTest): void => {
  let byStream: ByStream;

  before(function () {
    const { byStream: found } = store();
    if (found === undefined) {
      needs(this, false, 'a store with an index by stream');
      return;
    }
    byStream = found;
  });

  const divide = async (category: string, events: number): Promise<ReadonlyArray<KeyRange>> => {
    const divided = await byStream.divide(category, events);
    if (E.isLeft(divided)) throw divided.left;
    return divided.right;
  };

  const readAllOf = async (category: string, events: number, upTo: Position): Promise<Array<StoredEvent>> => {
    const all: Array<StoredEvent> = [];
    for (const range of await divide(category, events)) all.push(...(await collect(byStream.read(range, upTo))));
    return all;
  };

  /** Streams of three events each, written alternately. */
  const interleaved = async (category: string, count: number): Promise<Position> => {
    const streams = Array.from({ length: count }, () => aStream(category));
    let last = 0n;
    for (const expected of ['no-stream', 0n, 1n] as const)
      for (const stream of streams) last = (await appended(store(), stream, expected, anEvent())).position;
    return last;
  };

  it('gives every event once, stream after stream, each as its stream gives it', async () => {
    const category = aCategory();
    await interleaved(category, 20);
    const events = await readAllOf(category, 10, LAST);
    const streams = [...new Set(events.map(({ stream }) => stream))];
    expect(streams).to.have.length(20);
    expect(streams).to.deep.equal(streams.toSorted());
    for (const stream of streams) {
      const own = await collect(store().readStream(stream, { direction: 'forwards' }));
      expect(events.filter((event) => event.stream === stream)).to.deep.equal(own);
    }
    expect(events.map(({ stream }) => stream)).to.deep.equal(streams.flatMap((stream) => [stream, stream, stream]));
  });

  it('leaves out what comes after the position, and nothing at it', async () => {
    const category = aCategory();
    const upTo = await interleaved(category, 4);
    await appended(store(), aStream(category), 'no-stream', ...someEvents(2));
    const events = await readAllOf(category, 100, upTo);
    expect(events).to.have.length(12);
    expect(events.some(({ position }) => position === upTo)).to.equal(true);
  });

  it('keeps to its category, also where one name begins with another', async () => {
    const category = aCategory();
    await appended(store(), aStream(category), 'no-stream', ...someEvents(1));
    await appended(store(), aStream(`${category}x`), 'no-stream', ...someEvents(1));
    expect(await readAllOf(category, 1, LAST)).to.have.length(1);
  });

  it('divides a category without events into one key range that holds nothing', async () => {
    const category = aCategory();
    expect(await divide(category, 10)).to.deep.equal([{ category, from: null, before: null }]);
    expect(await readAllOf(category, 10, LAST)).to.deep.equal([]);
  });

  it('holds texts of any size, byte for byte', async () => {
    const category = aCategory();
    const texts = ['', 'é'.repeat(200_000), '𝄞"\\\n'];
    const stream = aStream(category);
    const events = texts.map((text) => anEvent({ data: JSON.stringify({ text }) }));
    await appended(store(), stream, 'no-stream', events[0]!, ...events.slice(1));
    const read = await readAllOf(category, 10, LAST);
    expect(read.map(({ data }) => data)).to.deep.equal(events.map(({ data }) => data));
  });

  it('lets go when its reader leaves early, as often as it likes', async () => {
    const category = aCategory();
    await interleaved(category, 3);
    const [range] = await divide(category, 1_000);
    for (let time = 0; time < 30; time += 1)
      for await (const page of byStream.read(range!, LAST)) if (page.length > 0) break;
    expect(await readAllOf(category, 1_000, LAST)).to.have.length(9);
  });
};
