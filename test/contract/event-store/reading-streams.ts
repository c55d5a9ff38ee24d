import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { attempt } from '../../../src/event-sourcing/attempt.js';
import { asStoreUnavailable, type StreamRange } from '../../../src/event-sourcing/event-store.js';
import { textOf } from '../../../src/event-sourcing/byte-string.js';
import { FIRST_PAGE } from '../../../src/event-sourcing/first-page.js';
import type { StoredEvent, StreamName } from '../../../src/event-sourcing/recorded-event.js';
import type { StreamPage } from '../../../src/event-sourcing/stream-page.js';
import {
  aCategory,
  anEvent,
  appended,
  aStream,
  batchesOf,
  collect,
  eventsOf,
  FAR,
  OVER,
  someEvents,
  type StoreUnderTest,
} from './store-under-test.js';

const LONG = 1_200;

export const readingStreams = (store: StoreUnderTest): void => {
  const revisions = async (stream: StreamName, range: StreamRange): Promise<ReadonlyArray<number>> =>
    (await collect(store().readStream(stream, range))).map(({ revision }) => Number(revision));

  const aLongStream = async (): Promise<StreamName> => {
    const stream = aStream();
    await appended(store(), stream, 'no-stream', ...someEvents(LONG / 2));
    await appended(store(), stream, BigInt(LONG / 2 - 1), ...someEvents(LONG / 2));
    return stream;
  };

  it('finds a stream that never was empty, in both directions', async () => {
    const stream = aStream();
    expect(await revisions(stream, { direction: 'forwards' })).to.deep.equal([]);
    expect(await revisions(stream, { direction: 'backwards' })).to.deep.equal([]);
    expect(await revisions(stream, { direction: 'forwards', from: 3n, limit: 2 })).to.deep.equal([]);
  });

  it('reads both directions, from a revision (inclusive) and at most a limit', async () => {
    const stream = aStream();
    await appended(store(), stream, 'no-stream', ...someEvents(5));
    const cases: ReadonlyArray<readonly [StreamRange, ReadonlyArray<number>]> = [
      [{ direction: 'forwards' }, [0, 1, 2, 3, 4]],
      [{ direction: 'forwards', from: 3n }, [3, 4]],
      [{ direction: 'forwards', limit: 2 }, [0, 1]],
      [{ direction: 'forwards', from: 1n, limit: 3 }, [1, 2, 3]],
      [{ direction: 'forwards', from: 4n, limit: 9 }, [4]],
      [{ direction: 'forwards', from: 5n }, []],
      [{ direction: 'forwards', from: 99n, limit: 1 }, []],
      [{ direction: 'backwards' }, [4, 3, 2, 1, 0]],
      [{ direction: 'backwards', from: 1n }, [1, 0]],
      [{ direction: 'backwards', limit: 2 }, [4, 3]],
      [{ direction: 'backwards', from: 3n, limit: 2 }, [3, 2]],
      [{ direction: 'backwards', from: 0n, limit: 5 }, [0]],
      [{ direction: 'backwards', from: 99n, limit: 2 }, [4, 3]],
    ];
    for (const [range, expected] of cases) expect(await revisions(stream, range)).to.deep.equal(expected);
  });

  it('gives the events of the asked stream alone', async () => {
    const stream = aStream();
    const longer: StreamName = `${stream}0`;
    await appended(store(), longer, 'no-stream', anEvent());
    await appended(store(), stream, 'no-stream', anEvent());
    const events = await collect(store().readStream(stream, { direction: 'forwards' }));
    expect(events.map((event) => event.stream)).to.deep.equal([stream]);
  });

  it('reads a long stream in several pages, whole and in order', async () => {
    const stream = await aLongStream();
    const upwards = Array.from({ length: LONG }, (_, index) => index);
    let pages = 0;
    for await (const page of store().readStream(stream, { direction: 'forwards' })) {
      expect(page).not.to.have.length(0);
      pages += 1;
    }
    expect(pages).to.be.greaterThan(1);
    expect(await revisions(stream, { direction: 'forwards' })).to.deep.equal(upwards);
    expect(await revisions(stream, { direction: 'backwards' })).to.deep.equal(upwards.toReversed());
    expect(await revisions(stream, { direction: 'forwards', from: 1n, limit: 1_100 })).to.deep.equal(
      upwards.slice(1, 1_101),
    );
  });

  it('gives events of any sizes beside each other byte for byte, in both directions and in the log', async () => {
    const category = aCategory();
    const stream = aStream(category);
    const sizes = [10, 1, 300_000, 5_000, 1, 700_000, 2_000, 100_000, 3, 600_000, 500_000, 4];
    const written = sizes.map((size, index) =>
      anEvent({ data: JSON.stringify({ text: `${index}é`.repeat(size / 3) }) }),
    );
    for (const [index, event] of written.entries())
      await appended(store(), stream, index === 0 ? 'no-stream' : BigInt(index - 1), event);
    const texts = (events: ReadonlyArray<StoredEvent>) =>
      events.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }));
    expect(texts(await collect(store().readStream(stream, { direction: 'forwards' })))).to.deep.equal(written);
    expect(texts(await collect(store().readStream(stream, { direction: 'backwards' })))).to.deep.equal(
      written.toReversed(),
    );
    const read = await batchesOf(store().readAll({ after: 'start', categories: [category] }));
    expect(texts(eventsOf(read))).to.deep.equal(written);
  });

  it('starts with a small page where that is asked for, and says when nothing comes behind a page', async () => {
    const stream = await aLongStream();
    const pages = async (range: Omit<StreamRange, 'startsSmall'>): Promise<ReadonlyArray<StreamPage>> => {
      const read: Array<StreamPage> = [];
      for await (const page of store().readStream(stream, { ...range, startsSmall: true })) read.push(page);
      return read;
    };
    for (const direction of ['forwards', 'backwards'] as const) {
      const all = await pages({ direction });
      const first = all[0]!;
      expect(first.length).to.be.within(1, FIRST_PAGE.events);
      expect(all.map(({ isLast }) => isLast).slice(0, -1)).not.to.include(true);
      const read = all.flatMap((page) => [...page]).map(({ revision }) => revision);
      expect(read).to.deep.equal((await collect(store().readStream(stream, { direction }))).map((it) => it.revision));
      const few = await pages({ direction, from: 20n, limit: 5 });
      expect(few.map(({ length, isLast }) => [length, isLast])).to.deep.equal([[5, true]]);
    }
    const end = await pages({ direction: 'forwards', from: BigInt(LONG - 5) });
    expect(end.map(({ length, isLast }) => [length, isLast])).to.deep.equal([[5, true]]);
    expect(await pages({ direction: 'forwards', from: BigInt(LONG) })).to.deep.equal([]);
  });

  it('starts with a small page also where the events are large', async () => {
    const stream = aStream();
    const large = JSON.stringify({ text: 'x'.repeat(50_000) });
    const events = [anEvent(), ...Array.from({ length: 4 }, () => anEvent({ data: large }))] as const;
    await appended(store(), stream, 'no-stream', ...events);
    for (const from of [0n, 1n]) {
      const pages: Array<StreamPage> = [];
      const range = { direction: 'forwards', from, startsSmall: true } as const;
      for await (const page of store().readStream(stream, range)) pages.push(page);
      const bytes = pages[0]!.bytes.reduce((sum, { data }) => sum + data.length, 0);
      expect(bytes).to.be.at.most(FIRST_PAGE.bytes);
      expect(pages[0]!.isLast).to.equal(false);
      expect(pages.flatMap((page) => [...page])).to.deep.equal(
        await collect(store().readStream(stream, { direction: 'forwards', from })),
      );
    }
  });

  it('gives the bytes of the texts of each event', async () => {
    const stream = aStream();
    await appended(store(), stream, 'no-stream', anEvent({ data: '{"text":"é"}' }), anEvent());
    for await (const page of store().readStream(stream, { direction: 'forwards' }))
      expect(page.bytes.map(({ data, metadata }) => [textOf(data), textOf(metadata)])).to.deep.equal(
        [...page].map(({ data, metadata }) => [data, metadata]),
      );
  });

  it('tells the newest revision of a stream, or that it never was', async () => {
    const stream = aStream();
    expect(await store().newestRevision(stream)).to.deep.equal(E.right('no-stream'));
    await appended(store(), stream, 'no-stream', ...someEvents(3));
    expect(await store().newestRevision(stream)).to.deep.equal(E.right(2n));
    expect(await store().newestRevision(`${stream}0`)).to.deep.equal(E.right('no-stream'));
  });

  it('asks for no page and for no newest revision that no time is left for', async () => {
    const stream = aStream();
    await appended(store(), stream, 'no-stream', ...someEvents(3));
    for (const startsSmall of [true, false]) {
      const range = { direction: 'forwards', startsSmall } as const;
      const late = await attempt(() => revisions(stream, { ...range, until: OVER }), asStoreUnavailable);
      expect(E.isLeft(late) && late.left._tag).to.equal('StoreUnavailable');
      expect(await revisions(stream, { ...range, until: FAR })).to.deep.equal([0, 1, 2]);
    }
    const late = await store().newestRevision(stream, OVER);
    expect(E.isLeft(late) && late.left._tag).to.equal('StoreUnavailable');
    expect(await store().newestRevision(stream, FAR)).to.deep.equal(E.right(2n));
  });

  it('lets many readers stop early or rest between two pages without keeping others from reading', async () => {
    const stream = await aLongStream();
    const resting = Array.from({ length: 50 }, () =>
      store().readStream(stream, { direction: 'forwards' })[Symbol.asyncIterator](),
    );
    await Promise.all(resting.map((reader) => reader.next()));
    for (let stopped = 0; stopped < 50; stopped++)
      for await (const page of store().readStream(stream, { direction: 'backwards' })) {
        expect(page.bytes[0]?.revision).to.equal(BigInt(LONG - 1));
        break;
      }
    expect(await revisions(stream, { direction: 'forwards', limit: 2 })).to.deep.equal([0, 1]);
    await Promise.all(resting.map(async (reader) => reader.return?.()));
  });
};
