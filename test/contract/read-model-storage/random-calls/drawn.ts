import { unsetFields } from '../../../../src/domain/business/state.js';
import {
  checkpointAt,
  type From,
  type StoredEvent,
  type StreamName,
} from '../../../../src/event-sourcing/recorded-event.js';
import type { Parking } from '../../../../projections/engine/rows/fold-batch.js';
import type { Entity } from '../../../../projections/engine/rows/rows.js';
import type { EntityBatch, Step } from '../../../../projections/engine/storage.js';
import { creation } from '../ledger-under-test.js';
import { activeBusiness, aBusiness, aParking, eventsOf, streamOf } from '../storage-under-test.js';
import type { DrawnBatch, DrawnEntity, DrawnParking, DrawnStep } from './calls.js';

const DELETED = { _tag: 'Deleted', fields: { name: '', ...unsetFields }, owners: [] };

/** The entities of a sequence of calls: others have other ids. */
export const idsOf = (sequence: number): ReadonlyArray<string> => [
  ...Array.from({ length: 4 }, (_, at) => `00000000-0000-4000-800${at}-${String(sequence).padStart(12, '0')}`),
  `no-uuid-${sequence}`,
];

export const entityOf = (
  ids: ReadonlyArray<string>,
  { which, revision, state, isParked, isSigned, ...shown }: DrawnEntity,
): Entity => {
  const states = { Active: activeBusiness(shown), NotCreated: { _tag: 'NotCreated' }, Deleted: DELETED };
  const over = {
    ...{ id: ids[which]!, revision: BigInt(revision), isParked },
    // reason: the keys are all that are drawn
    state: states[state],
  };
  return isSigned ? aBusiness(over) : aBusiness({ ...over, summary: undefined, createdAt: null, updatedAt: null });
};

export const parkingOf = (ids: ReadonlyArray<string>, { which, revision, ...parking }: DrawnParking): Parking =>
  aParking({ id: ids[which]! }, { revision: BigInt(revision), position: BigInt(5 + revision), ...parking });

export const entityBatch = (ids: ReadonlyArray<string>, { entities, parkings }: DrawnBatch): EntityBatch => ({
  entities: entities.map((each) => entityOf(ids, each)),
  parkings: parkings.map((each) => parkingOf(ids, each)),
  events: entities.flatMap(({ which, revision }) =>
    eventsOf({ id: ids[which]! }, { revision: BigInt(revision), count: 2 }),
  ),
});

const ELSEWHERE = 1_000n;

export const stepOf = (now: From, { from, by, hasLast, mustBeLive }: DrawnStep): Step => {
  const commit = (now === 'start' ? 0n : now.commit) + BigInt(by);
  const last: StoredEvent | undefined = hasLast ? eventsOf({ id: 'b1' }, { revision: commit })[0] : undefined;
  const others = { now, start: 'start', elsewhere: checkpointAt(ELSEWHERE) } as const;
  return { from: others[from], to: checkpointAt(commit), last, mustBeLive };
};

export const streamAt = (ids: ReadonlyArray<string>, which: number): StreamName => streamOf({ id: ids[which]! });

const creations = new Map<string, StoredEvent>();

/** The same event each time that it is asked for: its salt is drawn. */
export const creationOf = (id: string): StoredEvent => {
  const event = creations.get(id) ?? creation(`business-${id}`);
  creations.set(id, event);
  return event;
};
