import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { EventStore, StreamRange } from '../../src/event-sourcing/event-store.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import type { DomainEvent } from '../../src/event-sourcing/serde.js';
import { PageNotAdmitted } from '../../src/read/admit-page.js';
import type { Events, EventsRequest } from '../../src/read/entity-events.js';
import { UndecodableEventError } from '../../src/read/event-view.js';
import { businessHistory } from '../support/business-history.js';
import { downEventStore } from '../support/down-event-store.js';
import { streamOf } from '../support/given-stream.js';
import { pageOf } from '../support/page-of.js';

type Shown = { readonly revision: number; readonly diff: unknown };

const yes = () => Promise.resolve(true);

/** A store of one stream in pages of so many events, which counts what is read of it. */
const paged = (events: ReadonlyArray<StoredEvent>, perPage: number) => {
  const reads = { open: 0, pulled: 0, withDeadline: [] as Array<boolean> };
  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
  async function* readStream(_stream: string, { direction, from = 0n, limit = Infinity, until }: StreamRange) {
    expect(direction).to.equal('forwards');
    reads.withDeadline.push(until !== undefined);
    const wanted = events.slice(Number(from), Number(from) + limit);
    reads.open += 1;
    try {
      for (let at = 0; at < wanted.length; at += perPage) {
        const page = wanted.slice(at, at + perPage);
        reads.pulled += page.length;
        yield pageOf(page);
      }
    } finally {
      reads.open -= 1;
    }
  }
  const newestRevision: EventStore['newestRevision'] = () =>
    Promise.resolve(E.right(events.at(-1)?.revision ?? 'no-stream'));
  return { store: { readStream, newestRevision } as unknown as EventStore, reads };
};

type Asked = Partial<EventsRequest> & {
  readonly newest?: bigint;
  readonly page?: typeof yes;
  readonly more?: typeof yes;
};

const ask = (store: EventStore, { newest, page = yes, more = yes, ...request }: Asked = {}) =>
  businessHistory(store).events(
    'b1',
    { direction: 'forwards', proof: false, diff: true, ...request },
    { page, more },
    newest,
  );

const listed = async (...asked: Parameters<typeof ask>): Promise<Events> => {
  const outcome = await ask(...asked);
  if (E.isLeft(outcome)) throw new Error(outcome.left._tag);
  return outcome.right;
};

const textOf = async ({ body }: Events): Promise<string> => {
  if (Buffer.isBuffer(body)) return body.toString();
  const parts: Array<Buffer> = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString();
};

const shownOf = async (...asked: Parameters<typeof ask>): Promise<ReadonlyArray<Shown>> =>
  JSON.parse(await textOf(await listed(...asked))) as ReadonlyArray<Shown>;

const happened = (type: string, data: DomainEvent['data'] = {}) => [{ type, data }] as const;
const phone = (number: number | bigint) => happened('BusinessUpdated', { changes: { phone: String(number) } });
const changed = (from: number | null, to: number) => [
  { path: '/phone', before: from === null ? null : String(from), after: String(to) },
];

const life = [
  happened('BusinessCreated', { name: 'Acme', phone: '0' }),
  happened('BusinessOwnerAdded', { user: 'bob', title: null, equity: 1 }),
  happened('BusinessUpdated', { changes: { displayName: 'A', phone: null } }),
  happened('BusinessOwnerUpdated', { user: 'bob', title: 'CEO' }),
  happened('BusinessOwnerRemoved', { user: 'bob' }),
  happened('BusinessDeleted'),
] as const;

const diffsOfLife: ReadonlyArray<unknown> = [
  [
    { path: '/name', before: null, after: 'Acme' },
    { path: '/phone', before: null, after: '0' },
  ],
  [{ path: '/owners/bob', before: null, after: { user: 'bob', title: null, equity: 1 } }],
  [
    { path: '/displayname', before: null, after: 'A' },
    { path: '/phone', before: '0', after: null },
  ],
  [{ path: '/owners/bob/title', before: null, after: 'CEO' }],
  [{ path: '/owners/bob', before: { user: 'bob', title: 'CEO', equity: 1 }, after: null }],
  [
    { path: '/name', before: 'Acme', after: null },
    { path: '/displayname', before: 'A', after: null },
  ],
];

/** The events of a window, each with what it changed. */
const expected = (...revisions: ReadonlyArray<number>): ReadonlyArray<Shown> =>
  revisions.map((revision) => ({ revision, diff: diffsOfLife[revision] }));

const brief = (events: ReadonlyArray<Shown>): ReadonlyArray<Shown> =>
  events.map(({ revision, diff }) => ({ revision, diff }));

describe('events with what each of them changed', () => {
  for (const perPage of [1, 2, 100])
    it(`come in every window as they do in the whole history, from pages of ${perPage}`, async () => {
      const { store, reads } = paged(streamOf('business-b1', ...life), perPage);
      const shown = async (asked: Asked): Promise<ReadonlyArray<Shown>> => brief(await shownOf(store, asked));
      expect(await shown({})).to.deep.equal(expected(0, 1, 2, 3, 4, 5));
      expect(await shown({ from: 2n })).to.deep.equal(expected(2, 3, 4, 5));
      expect(await shown({ from: 2n, limit: 2 })).to.deep.equal(expected(2, 3));
      expect(await shown({ from: 4n, limit: 1000 })).to.deep.equal(expected(4, 5));
      expect(await shown({ from: 6n })).to.deep.equal([]);
      expect(await shown({ newest: 3n })).to.deep.equal(expected(0, 1, 2, 3));
      expect(await shown({ from: 4n, newest: 3n })).to.deep.equal([]);
      const direction = 'backwards';
      expect(await shown({ direction })).to.deep.equal(expected(5, 4, 3, 2, 1, 0));
      expect(await shown({ direction, limit: 2 })).to.deep.equal(expected(5, 4));
      expect(await shown({ direction, from: 3n, limit: 2 })).to.deep.equal(expected(3, 2));
      expect(await shown({ direction, from: 1n, limit: 9 })).to.deep.equal(expected(1, 0));
      expect(await shown({ direction, from: 99n, limit: 1 })).to.deep.equal(expected(5));
      expect(await shown({ direction, newest: 2n })).to.deep.equal(expected(2, 1, 0));
      expect(reads.open).to.equal(0);
    });

  it('are otherwise the events as they are without it', async () => {
    const { store } = paged(streamOf('business-b1', ...life), 4);
    for (const proof of [false, true])
      for (const direction of ['forwards', 'backwards'] as const) {
        const events = await shownOf(store, { proof, direction });
        const plain = await shownOf(
          { ...store, ...paged(streamOf('business-b1', ...life), 100).store },
          { proof, direction: 'forwards', diff: false },
        );
        const withoutDiff = events.map(({ diff: _diff, ...event }) => event);
        // reason: the salt is drawn anew for each stream
        const bare = (list: ReadonlyArray<object>) =>
          JSON.stringify(list).replaceAll(/"(hash|previousHash|dataHash|fingerprint|salt)":"[^"]*"/g, '');
        expect(bare(withoutDiff)).to.equal(bare(direction === 'forwards' ? plain : plain.toReversed()));
      }
  });

  it('say which was the newest when they were read', async () => {
    const { store } = paged(streamOf('business-b1', ...life), 4);
    expect([(await listed(store)).newest, (await listed(store, { newest: 2n })).newest]).to.deep.equal([5n, 2n]);
  });

  it('never were for an entity that never existed', async () => {
    expect(await ask(paged([], 1).store)).to.deep.equal(E.left({ _tag: 'NeverExisted' }));
  });

  describe('of a long history', () => {
    const LENGTH = 9_000;
    const long = streamOf(
      'business-b1',
      happened('BusinessCreated', { name: 'Acme' }),
      ...Array.from({ length: LENGTH - 1 }, (_, index) => phone(index + 1)),
    );
    /** As one text, which is compared in far less time. */
    const toldOf = (events: ReadonlyArray<Shown>): string => JSON.stringify(brief(events));
    const diffAt = (revision: number): unknown =>
      revision === 0
        ? [{ path: '/name', before: null, after: 'Acme' }]
        : changed(revision === 1 ? null : revision - 1, revision);

    it('go down from the newest one, each event read a few times', async () => {
      const { store, reads } = paged(long, 500);
      const events = await shownOf(store, { direction: 'backwards' });
      expect(events.map(({ revision }) => revision)).to.deep.equal(long.map((_, index) => LENGTH - 1 - index));
      expect(toldOf(events)).to.equal(toldOf(events.map(({ revision }) => ({ revision, diff: diffAt(revision) }))));
      expect(reads.open).to.equal(0);
      expect(reads.pulled).to.be.lessThan(4 * LENGTH);
      expect(reads.withDeadline.indexOf(true)).to.equal(0);
      expect(reads.withDeadline.lastIndexOf(true)).to.equal(0);
    });

    it('come in pages in both directions', async () => {
      const { store } = paged(long, 500);
      const up = await shownOf(store, { from: 4321n, limit: 1000 });
      const down = await shownOf(store, { direction: 'backwards', from: 5320n, limit: 1000 });
      expect(up.map(({ revision }) => revision)).to.deep.equal(
        Array.from({ length: 1000 }, (_, index) => 4321 + index),
      );
      expect(down).to.deep.equal(up.toReversed());
      expect(toldOf(up)).to.equal(toldOf(up.map(({ revision }) => ({ revision, diff: diffAt(revision) }))));
    });

    it('are read no faster than they are told', async () => {
      const { store, reads } = paged(long, 500);
      const { body } = await listed(store);
      expect([Buffer.isBuffer(body), reads.pulled]).to.deep.equal([false, 1000]);
      await (body as Exclude<typeof body, Buffer>).return();
      expect(reads).to.include({ open: 0, pulled: 1000 });
    });

    it('leave no read open when the reader goes away from one that goes down', async () => {
      const { store, reads } = paged(long, 500);
      const { body } = await listed(store, { direction: 'backwards' });
      await (body as Exclude<typeof body, Buffer>).return();
      expect(reads.open).to.equal(0);
    });
  });

  it('are held in small blocks where they are large', async () => {
    const name = 'x'.repeat(40_000);
    const large = streamOf(
      'business-b1',
      happened('BusinessCreated', { name: 'Acme' }),
      ...Array.from({ length: 99 }, (_, index) =>
        happened('BusinessUpdated', { changes: { name: `${index}${name}` } }),
      ),
    );
    const { store } = paged(large, 4);
    const { body } = await listed(store, { direction: 'backwards' });
    const sizes: Array<number> = [];
    let text = '';
    for await (const part of body as Exclude<typeof body, Buffer>) {
      sizes.push(part.length);
      text += part.toString();
    }
    expect((JSON.parse(text) as ReadonlyArray<Shown>).map(({ revision }) => revision)).to.deep.equal(
      large.map((_, index) => 99 - index),
    );
    // of 100 events with three names each
    expect(Math.max(...sizes)).to.be.lessThan(2_000_000);
  });

  it('are none where an event before them cannot be read', async () => {
    const { store } = paged(streamOf('business-b1', life[0], happened('BusinessMerged'), phone(1)), 1);
    for (const asked of [{ from: 2n }, { direction: 'backwards', limit: 1 }] as const) {
      const outcome = await ask(store, asked);
      expect(E.isLeft(outcome) && outcome.left._tag).to.equal('UndecodableEvent');
    }
  });

  it('end with an error at one that cannot be read later', async () => {
    const { store, reads } = paged(streamOf('business-b1', life[0], phone(1), phone(2), happened('BusinessMerged')), 1);
    let thrown: unknown;
    try {
      await textOf(await listed(store));
    } catch (error) {
      thrown = error;
    }
    expect(thrown).to.be.instanceOf(UndecodableEventError);
    expect(reads.open).to.equal(0);
  });

  it('end with an error when the stream is shorter than it was', async () => {
    const whole = streamOf('business-b1', life[0], ...Array.from({ length: 300 }, (_, index) => phone(index)));
    const { store } = paged(whole.slice(0, 150), 100);
    const outcome = await ask(store, { direction: 'backwards', newest: 300n });
    expect(E.isLeft(outcome) && outcome.left._tag).to.equal('StoreUnavailable');
  });

  it('are not read when there are too many readers, or the client has gone', async () => {
    const no = () => Promise.resolve(false);
    for (const refused of [{ more: no }, { page: no }]) {
      const { store, reads } = paged(streamOf('business-b1', ...life), 1);
      const outcome = await ask(store, refused);
      expect(E.isLeft(outcome) && outcome.left).to.be.instanceOf(PageNotAdmitted);
      expect(reads.open).to.equal(0);
      expect(reads.pulled).to.be.lessThan(2);
    }
  });

  it('are a failure while the store is away', async () => {
    for (const newest of [undefined, 3n]) {
      const outcome = await ask(downEventStore().store, newest === undefined ? {} : { newest });
      expect(E.isLeft(outcome) && outcome.left._tag).to.equal('StoreUnavailable');
    }
  });
});
