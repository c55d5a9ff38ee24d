import { expect } from 'chai';
import { either as E, option as O } from 'fp-ts';
import { unsetFields } from '../../src/domain/business/state.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import type { AsOf } from '../../src/read/history.js';
import { givenStream } from '../support/given-stream.js';
import { businessHistory } from '../support/business-history.js';
import { downEventStore } from '../support/down-event-store.js';

const fields = { ...unsetFields, name: 'Acme' };
const bob = { user: 'bob', title: null, equity: 1 };

const created = { _tag: 'Active', fields, owners: [], since: [] };
const updated = { _tag: 'Active', fields: { ...fields, phone: '1' }, owners: [], since: [] };
const owned = { ...updated, owners: [bob], since: [2] };
const deleted = { ...owned, _tag: 'Deleted' };

const always = (): Promise<boolean> => Promise.resolve(true);

/** Of the events of the business. */
const times = {
  0: '2026-01-01T10:00:00.000Z',
  1: '2026-01-01T11:00:00.500Z',
  2: '2026-01-01T11:00:00.500Z',
  3: '2026-01-01T12:00:00.000Z',
} as const;

describe('the state of an entity as of then', () => {
  let store: EventStore;

  beforeEach(async () => {
    store = makeInMemoryEventStore();
    await givenStream(
      store,
      'business-b1',
      [{ type: 'BusinessCreated', data: { name: 'Acme' } }, { at: times[0] }],
      [{ type: 'BusinessUpdated', data: { changes: { phone: '1' } } }, { at: times[1] }],
      [{ type: 'BusinessOwnerAdded', data: bob }, { at: times[2] }],
      [{ type: 'BusinessDeleted', data: {} }, { at: times[3] }],
    );
  });

  const asOf = async (then: AsOf, id = 'b1') => businessHistory(store).stateAsOf(id, then, always, Infinity);
  const atRevision = (revision: bigint): AsOf => ({ _tag: 'AtRevision', revision });
  const atTime = (text: string): AsOf => ({ _tag: 'AtTime', at: new Date(text) });
  const state = (
    expected: unknown,
    revision: 0n | 1n | 2n | 3n,
    createdAt: string = times[0],
    position = revision + 1n,
  ) => {
    const updatedAt = revision === 0n ? createdAt : times[`${revision}`];
    return E.right(O.some({ state: expected, revision, position, createdAt, updatedAt }));
  };

  it('is that after the event of a revision', async () => {
    expect(await asOf(atRevision(0n))).to.deep.equal(state(created, 0n));
    expect(await asOf(atRevision(1n))).to.deep.equal(state(updated, 1n));
    expect(await asOf(atRevision(2n))).to.deep.equal(state(owned, 2n));
    expect(await asOf(atRevision(3n))).to.deep.equal(state(deleted, 3n));
  });

  it('is none past the last revision', async () => {
    expect(await asOf(atRevision(4n))).to.deep.equal(E.right(O.none));
    expect(await asOf(atRevision(2n ** 53n))).to.deep.equal(E.right(O.none));
  });

  it('is at an instant that with all that had happened by then, inclusive', async () => {
    expect(await asOf(atTime('2026-01-01T10:00:00.000Z'))).to.deep.equal(state(created, 0n));
    expect(await asOf(atTime('2026-01-01T11:00:00.499Z'))).to.deep.equal(state(created, 0n));
    expect(await asOf(atTime('2026-01-01T11:00:00.500Z'))).to.deep.equal(state(owned, 2n));
    expect(await asOf(atTime('2026-01-01T12:00:00.000Z'))).to.deep.equal(state(deleted, 3n));
  });

  it('is none before the creation, and the present one in the future', async () => {
    expect(await asOf(atTime('2026-01-01T09:59:59.999Z'))).to.deep.equal(E.right(O.none));
    expect(await asOf(atTime('2999-01-01T00:00:00.000Z'))).to.deep.equal(state(deleted, 3n));
  });

  it('is now that after the last event', async () => {
    expect(await asOf({ _tag: 'Now' })).to.deep.equal(state(deleted, 3n));
  });

  it('is none for what never existed', async () => {
    for (const then of [{ _tag: 'Now' } as const, atRevision(0n), atTime('2026-01-02T00:00:00Z')])
      expect(await asOf(then, 'b2')).to.deep.equal(E.right(O.none));
  });

  it('is unknown at and after an event that cannot be read, and known before it', async () => {
    const [, poison] = await givenStream(
      store,
      'business-b2',
      [{ type: 'BusinessCreated', data: { name: 'Acme' } }, { at: times[1] }],
      [{ type: 'BusinessMerged', data: {} }],
    );
    expect(await asOf(atRevision(0n), 'b2')).to.deep.equal(state(created, 0n, times[1], 5n));
    const outcome = await asOf({ _tag: 'Now' }, 'b2');
    expect(E.isLeft(outcome) && outcome.left).to.deep.include({
      _tag: 'UndecodableEvent',
      stored: { ...poison, position: 6n },
    });
  });

  it('is a failure when the store does not answer', async () => {
    const { store: down, failure } = downEventStore();
    expect(await businessHistory(down).stateAsOf('b1', { _tag: 'Now' }, always, Infinity)).to.deep.equal(
      E.left(failure),
    );
  });
});
