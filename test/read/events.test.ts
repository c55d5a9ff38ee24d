import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { type EventsPage, type EventsRequest, UndecodableEventError } from '../../src/read/history.js';
import { businessHistory } from '../support/business-history.js';
import { downEventStore } from '../support/down-event-store.js';
import { givenStream, streamOf } from '../support/given-stream.js';

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
        yield [event];
      }
    } finally {
      reads.open -= 1;
    }
  }
  return { store: { ...makeInMemoryEventStore(), readStream }, reads };
};

const open = async (store: EventStore, request: Partial<EventsRequest> = {}, id = 'b1') => {
  const outcome = await businessHistory(store).events(id, { direction: 'forwards', proof: false, ...request });
  if (E.isLeft(outcome)) throw new Error(outcome.left._tag);
  return outcome.right;
};

const all = async (pages: AsyncIterable<EventsPage>): Promise<ReadonlyArray<EventsPage>> => {
  const read: Array<EventsPage> = [];
  for await (const page of pages) read.push(page);
  return read;
};

const revisionsIn = (page: EventsPage): ReadonlyArray<unknown> =>
  page.map((body) => (JSON.parse(body) as { readonly revision: unknown }).revision);

describe('the events of an entity', () => {
  let store: EventStore;

  beforeEach(async () => {
    store = makeInMemoryEventStore();
    await givenStream(store, 'business-b1', ...life);
  });

  const read = async (request: Partial<EventsRequest>): Promise<ReadonlyArray<unknown>> => {
    const pages = await all(await open(store, request));
    return pages.map(revisionsIn);
  };

  it('come oldest first, also when it is deleted', async () => {
    expect(await read({})).to.deep.equal([[0, 1, 2, 3]]);
  });

  it('start at a revision, and are as many as asked for', async () => {
    expect(await read({ from: 2n })).to.deep.equal([[2, 3]]);
    expect(await read({ limit: 2 })).to.deep.equal([[0, 1]]);
    expect(await read({ from: 1n, limit: 2 })).to.deep.equal([[1, 2]]);
  });

  it('go down from the newest, or from a revision', async () => {
    expect(await read({ direction: 'backwards' })).to.deep.equal([[3, 2, 1, 0]]);
    expect(await read({ direction: 'backwards', from: 1n })).to.deep.equal([[1, 0]]);
    expect(await read({ direction: 'backwards', limit: 3 })).to.deep.equal([[3, 2, 1]]);
    expect(await read({ direction: 'backwards', from: 2n, limit: 1 })).to.deep.equal([[2]]);
  });

  it('are none past the last one of an entity that exists', async () => {
    expect(await read({ from: 4n })).to.deep.equal([]);
  });

  it('are described whole', async () => {
    const [page] = await all(await open(store, { limit: 1 }));
    const { _id, hash, ...event } = JSON.parse(page?.[0] ?? '') as Record<string, unknown>;
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
    const request = { direction: 'forwards', proof: false } as const;
    expect(await businessHistory(store).events('b2', request)).to.deep.equal(E.left({ _tag: 'NeverExisted' }));
    expect(await businessHistory(store).events('b2', { ...request, from: 3n })).to.deep.equal(
      E.left({ _tag: 'NeverExisted' }),
    );
  });

  it('are known to be whole when they are one page', async () => {
    expect((await open(store)).isWhole).to.equal(true);
  });

  it('are pulled two pages ahead, and then no faster than they are read', async () => {
    const { store: paged, reads } = oneByOne(streamOf('business-b1', ...life));
    const pages = await open(paged);
    expect([pages.isWhole, reads.pulled]).to.deep.equal([false, 2]);
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
    const pages = await all(await open(paged));
    expect(pages.map(revisionsIn)).to.deep.equal([[0], [1], [2], [3]]);
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
    const outcome = await businessHistory(store).events('b2', { direction: 'forwards', proof: false });
    expect(E.isLeft(outcome) && outcome.left._tag).to.equal('UndecodableEvent');
  });

  it('end with an error, and no read open, at one that cannot be read', async () => {
    const { store: paged, reads } = oneByOne(streamOf('business-b1', ...life.slice(0, 2), poison, update('3')));
    const revisions: Array<unknown> = [];
    let thrown: unknown;
    try {
      for await (const page of await open(paged)) revisions.push(...revisionsIn(page));
    } catch (error) {
      thrown = error;
    }
    expect(revisions).to.deep.equal([0, 1]);
    expect(thrown).to.be.instanceOf(UndecodableEventError);
    expect(reads).to.deep.equal({ open: 0, pulled: 3 });
  });

  it('are a failure when the store does not answer', async () => {
    const { store: down, failure } = downEventStore();
    expect(await businessHistory(down).events('b1', { direction: 'forwards', proof: false })).to.deep.equal(
      E.left(failure),
    );
  });
});
