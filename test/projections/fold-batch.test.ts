import { expect } from 'chai';
import fc from 'fast-check';
import { foldBatch, groupByStream } from '../../projections/engine/rows/fold-batch.js';
import type { Entity } from '../../projections/engine/rows/rows.js';
import { businesses } from '../../projections/businesses.js';
import { withReason } from '../../src/event-sourcing/reason.js';
import type { StoredEvent, StreamName } from '../../src/event-sourcing/recorded-event.js';
import { stored } from '../support/recorded.js';
import { businessHistory } from './histories.js';

type Rows = Map<string, Entity>;

const idAt = (index: number): string => `0198f000-0000-7000-8000-00000000000${index}`;

const apply = (rows: Rows, events: ReadonlyArray<StoredEvent>) => {
  const folded = foldBatch(businesses, (id) => rows.get(id), groupByStream(events));
  for (const entity of folded.entities) rows.set(entity.id, entity);
  return folded;
};

/** The streams of some businesses, interleaved into one log. */
const log = fc
  .tuple(fc.array(businessHistory, { maxLength: 4 }), fc.infiniteStream(fc.nat()))
  .map(([histories, choices]) => {
    const queues = histories.map((history, index) =>
      history.map((event, revision) =>
        stored(event, { stream: `business-${idAt(index)}`, revision: BigInt(revision) }),
      ),
    );
    const events: Array<StoredEvent> = [];
    for (let left = queues.filter((queue) => queue.length > 0); left.length > 0;) {
      const next = left[(choices.next().value as number) % left.length]?.shift();
      if (next !== undefined) events.push({ ...next, position: BigInt(events.length + 1) });
      left = queues.filter((queue) => queue.length > 0);
    }
    return events;
  });

const event = (stream: StreamName, revision: bigint, position: bigint, schemaVersion = 1): StoredEvent => ({
  ...stored(
    { type: 'BusinessUpdated', data: { changes: { name: `at ${position}` } } },
    { stream, revision, schemaVersion },
  ),
  position,
});

describe('folding batches', () => {
  it('gives the same rows for any split of the log, and when events come again', () => {
    fc.assert(
      fc.property(log, fc.array(fc.nat()), fc.array(fc.nat()), (events, cuts, agains) => {
        const whole: Rows = new Map();
        apply(whole, events);
        const split: Rows = new Map();
        const edges = [0, ...cuts.map((cut) => cut % (events.length + 1)).sort((a, b) => a - b), events.length];
        edges.slice(1).forEach((end, i) => {
          const again = agains[i] ?? 0;
          apply(split, events.slice(Math.max(0, (edges[i] ?? 0) - (again % 5)), end));
        });
        expect(split).to.deep.equal(whole);
      }),
    );
  });

  it('gives the same rows for events with a reason and without', () => {
    fc.assert(
      fc.property(businessHistory, (history) => {
        const rowsOf = (reason: string | undefined): ReadonlyArray<unknown> => {
          const rows: Rows = new Map();
          const stream = `business-${idAt(1)}` as const;
          const events = history.map(({ type, data }, revision) =>
            stored({ type, data: withReason(data, reason) }, { stream, revision: BigInt(revision) }),
          );
          expect(apply(rows, events).parkings).to.deep.equal([]);
          return [...rows.values()].map(({ id, state, revision }) => [id, state, revision]);
        };
        expect(rowsOf('as told')).to.deep.equal(rowsOf(undefined));
      }),
    );
  });

  it('parks an entity at an event that it cannot read, with all that follow it', () => {
    const [bad, good] = [`business-${idAt(1)}`, `business-${idAt(2)}`] as const;
    const rows: Rows = new Map();
    const unreadable = event(bad, 1n, 3n, 2);
    const first = apply(rows, [event(bad, 0n, 1n), event(good, 0n, 2n), unreadable, event(bad, 2n, 4n)]);
    expect(first.parkings.map(({ event: { revision }, waiting }) => [revision, waiting])).to.deep.equal([[1n, 2]]);
    expect([...rows.values()].map(({ revision, isParked }) => [revision, isParked])).to.deep.equal([
      [0n, true],
      [0n, false],
    ]);
    const later = apply(rows, [event(bad, 3n, 5n), event(good, 1n, 6n)]);
    expect(later.parkings.map(({ event: { revision }, waiting }) => [revision, waiting])).to.deep.equal([[3n, 1]]);
    expect(later.parkings.map(({ reason }) => reason)).to.deep.equal(['an earlier event of the stream is parked']);
    expect([...rows.values()].map(({ revision }) => revision)).to.deep.equal([0n, 1n]);
  });

  it('parks an entity that lacks an event, instead of passing over it', () => {
    const rows: Rows = new Map();
    const stream = `business-${idAt(1)}` as const;
    const { parkings } = apply(rows, [event(stream, 0n, 1n), event(stream, 2n, 2n)]);
    expect(parkings.map(({ reason }) => reason)).to.deep.equal(['revision 2 follows 0']);
    expect(rows.get(idAt(1))?.revision).to.equal(0n);
  });
});
