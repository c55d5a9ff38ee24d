import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { type Admission, PageNotAdmitted } from '../../src/read/admit-page.js';
import type { Events, EventsRequest } from '../../src/read/entity-events.js';
import { UndecodableEventError } from '../../src/read/event-view.js';
import type { Pages } from '../../src/read/read-ahead.js';
import { businessHistory } from '../support/business-history.js';
import { downEventStore } from '../support/down-event-store.js';
import { givenStream, streamOf } from '../support/given-stream.js';
import { pageOf } from '../support/page-of.js';

const update = (phone: string) => [{ type: 'BusinessUpdated', data: { changes: { phone } } }] as const;
const poison = [{ type: 'BusinessMerged', data: {} }] as const;
const life = [
  [{ type: 'BusinessCreated', data: { name: 'Acme' } }],
  update('1'),
  update('2'),
  [{ type: 'BusinessDeleted', data: {} }],
] as const;

/** A store with one event a page, which says whether a read of it is open. */
const oneByOne = (events: ReadonlyArray<StoredEvent>) => {
  const reads = { open: 0, pulled: 0 };
  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
  async function* readStream() {
    reads.open += 1;
    try {
      for (const event of events) {
        reads.pulled += 1;
        yield pageOf([event]);
      }
    } finally {
      reads.open -= 1;
    }
  }
  const newest = events.at(-1)?.revision ?? 'no-stream';
  const newestRevision: EventStore['newestRevision'] = () => Promise.resolve(E.right(newest));
  return { store: { ...makeInMemoryEventStore(), readStream, newestRevision }, reads };
};

const yes = () => Promise.resolve(true);
const always = { page: yes, more: yes };

const ask = (store: EventStore, request: Partial<EventsRequest> = {}, id = 'b1', newest?: bigint) =>
  businessHistory(store).events(id, { direction: 'forwards', proof: false, ...request }, always, newest);

const listed = async (...asked: Parameters<typeof ask>): Promise<Events> => {
  const outcome = await ask(...asked);
  if (E.isLeft(outcome)) throw new Error(outcome.left._tag);
  return outcome.right;
};

/** The parts of a body that is longer than a page. */
const open = async (...asked: Parameters<typeof ask>): Promise<Pages<Buffer>> => {
  const { body } = await listed(...asked);
  if (Buffer.isBuffer(body)) throw new Error('it is one page');
  return body;
};

const textOf = async ({ body }: Events): Promise<string> => {
  if (Buffer.isBuffer(body)) return body.toString();
  const parts: Array<Buffer> = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString();
};

const revisionsIn = (json: string): ReadonlyArray<unknown> =>
  (JSON.parse(json) as ReadonlyArray<{ readonly revision: unknown }>).map(({ revision }) => revision);

describe('the events of an entity', () => {
  let store: EventStore;

  beforeEach(async () => {
    store = makeInMemoryEventStore();
    await givenStream(store, 'business-b1', ...life);
  });

  const read = async (request: Partial<EventsRequest>, newest?: bigint): Promise<unknown> => {
    const events = await listed(store, request, 'b1', newest);
    return [Number(events.newest), revisionsIn(await textOf(events))];
  };

  it('come oldest first, also when it is deleted', async () => {
    expect(await read({})).to.deep.equal([3, [0, 1, 2, 3]]);
  });

  it('start at a revision, and are as many as asked for', async () => {
    expect(await read({ from: 2n })).to.deep.equal([3, [2, 3]]);
    expect(await read({ limit: 2 })).to.deep.equal([3, [0, 1]]);
    expect(await read({ from: 1n, limit: 2 })).to.deep.equal([3, [1, 2]]);
    expect(await read({ from: 1n, limit: 9 })).to.deep.equal([3, [1, 2, 3]]);
  });

  it('go down from the newest, or from a revision', async () => {
    expect(await read({ direction: 'backwards' })).to.deep.equal([3, [3, 2, 1, 0]]);
    expect(await read({ direction: 'backwards', from: 1n })).to.deep.equal([3, [1, 0]]);
    expect(await read({ direction: 'backwards', from: 9n })).to.deep.equal([3, [3, 2, 1, 0]]);
    expect(await read({ direction: 'backwards', limit: 3 })).to.deep.equal([3, [3, 2, 1]]);
    expect(await read({ direction: 'backwards', from: 2n, limit: 1 })).to.deep.equal([3, [2]]);
  });

  it('are none past the last one of an entity that exists', async () => {
    expect(await read({ from: 4n })).to.deep.equal([3, []]);
    expect(await read({ from: 4n, limit: 1 })).to.deep.equal([3, []]);
  });

  it('are none of those that were appended after the newest one was asked for', async () => {
    expect(await read({}, 1n)).to.deep.equal([1, [0, 1]]);
    expect(await read({ from: 1n, limit: 9 }, 2n)).to.deep.equal([2, [1, 2]]);
    expect(await read({ from: 2n }, 1n)).to.deep.equal([1, []]);
    expect(await read({ direction: 'backwards' }, 1n)).to.deep.equal([1, [1, 0]]);
    expect(await read({ direction: 'backwards', from: 3n, limit: 1 }, 1n)).to.deep.equal([1, [1]]);
  });

  it('are those up to the newest one that is told, also where others are appended while they are read', async () => {
    const { store: growing } = oneByOne(streamOf('business-b1', ...life));
    const newestRevision = () => Promise.resolve(E.right(2n));
    const events = await listed({ ...growing, newestRevision });
    expect([events.newest, revisionsIn(await textOf(events))]).to.deep.equal([2n, [0, 1, 2]]);
  });

  it('that are appended behind an empty range are not taken for those that were read', async () => {
    const empty = {
      ...store,
      // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
      readStream: async function* () {
        yield* [];
      },
    };
    const { newest, body } = await listed(empty, { from: 2n });
    expect([newest, body]).to.deep.equal([1n, Buffer.from('[]')]);
  });

  it('are described whole', async () => {
    const [first] = JSON.parse(await textOf(await listed(store, { limit: 1 }))) as [Record<string, unknown>];
    const { _id, hash, ...event } = first;
    expect([typeof _id, typeof hash, event]).to.deep.equal([
      'string',
      'string',
      {
        type: 'created',
        message: 'business created',
        user: 'alice',
        entity: 'b1',
        entityType: 'Business',
        refs: [],
        name: 'BusinessCreated',
        at: '2026-01-02T03:04:05.678Z',
        revision: 0,
        data: { name: 'Acme' },
      },
    ]);
  });

  it('never were for an entity that never existed', async () => {
    for (const request of [{}, { from: 3n }, { limit: 1 }, { direction: 'backwards' as const }])
      expect(await ask(store, request, 'b2')).to.deep.equal(E.left({ _tag: 'NeverExisted' }));
  });

  it('are in one piece when they are one page', async () => {
    expect(Buffer.isBuffer((await listed(store)).body)).to.equal(true);
  });

  it('are not rendered when their page is not admitted, and not read on when more is not', async () => {
    const no = () => Promise.resolve(false);
    const failureOf = async (of: EventStore, admission: Admission): Promise<unknown> => {
      const outcome = await businessHistory(of).events('b1', { direction: 'forwards', proof: false }, admission);
      return E.isLeft(outcome) && outcome.left;
    };
    expect(await failureOf(store, { page: no, more: yes })).to.be.instanceOf(PageNotAdmitted);
    const { store: paged, reads } = oneByOne(streamOf('business-b1', ...life));
    expect(await failureOf(paged, { page: yes, more: no })).to.be.instanceOf(PageNotAdmitted);
    expect(reads).to.deep.equal({ open: 0, pulled: 1 });
  });

  it('need nothing beyond their first page when that is all', async () => {
    const admission = { page: yes, more: () => Promise.reject(new Error('there is no more')) };
    const outcome = await businessHistory(store).events('b1', { direction: 'forwards', proof: false }, admission);
    expect(E.isRight(outcome)).to.equal(true);
  });

  it('are pulled two pages ahead, and then no faster than they are read', async () => {
    const { store: paged, reads } = oneByOne(streamOf('business-b1', ...life));
    const pages = await open(paged);
    expect(reads.pulled).to.equal(2);
    await pages.next();
    await pages.next();
    expect(reads.pulled).to.equal(2);
    await pages.next();
    expect(reads.pulled).to.equal(3);
    await pages.return();
    expect(reads).to.deep.equal({ open: 0, pulled: 3 });
  });

  it('come page after page, each once', async () => {
    const { store: paged, reads } = oneByOne(streamOf('business-b1', ...life));
    const parts: Array<string> = [];
    for await (const part of await open(paged)) parts.push(part.toString());
    expect(parts.map((part) => part[0])).to.deep.equal(['[', ',', ',', ',', ']']);
    expect(revisionsIn(parts.join(''))).to.deep.equal([0, 1, 2, 3]);
    expect(reads).to.deep.equal({ open: 0, pulled: 4 });
  });

  it('leave no read open when the reader goes away before the first page', async () => {
    const { store: paged, reads } = oneByOne(streamOf('business-b1', ...life));
    const pages = await open(paged);
    await pages.return();
    expect(reads).to.deep.equal({ open: 0, pulled: 2 });
    expect(await pages.next()).to.deep.equal({ done: true, value: undefined });
  });

  it('are a failure at once when the first of them cannot be read', async () => {
    await givenStream(store, 'business-b2', poison);
    const outcome = await ask(store, {}, 'b2');
    expect(E.isLeft(outcome) && outcome.left._tag).to.equal('UndecodableEvent');
  });

  it('end with an error, and no read open, at one that cannot be read', async () => {
    const { store: paged, reads } = oneByOne(streamOf('business-b1', ...life.slice(0, 2), poison, update('3')));
    let text = '';
    let thrown: unknown;
    try {
      for await (const part of await open(paged)) text += part.toString();
    } catch (error) {
      thrown = error;
    }
    expect(revisionsIn(`${text}]`)).to.deep.equal([0, 1]);
    expect(thrown).to.be.instanceOf(UndecodableEventError);
    expect(reads).to.deep.equal({ open: 0, pulled: 3 });
  });

  it('are a failure when the store does not answer', async () => {
    const { store: down, failure } = downEventStore();
    expect(await ask(down)).to.deep.equal(E.left(failure));
  });
});
