import { either as E } from 'fp-ts';
import { isKeyed } from '../../../src/event-sourcing/command/command-id.js';
import type { Metadata } from '../../../src/event-sourcing/envelope.js';
import { entityIdOf, type StoredEvent, type StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { occurrenceOf } from '../../../src/event-sourcing/serde.js';
import { decodeUnlessErased, isPassedOver } from '../../../src/event-sourcing/passed-over.js';
import { isUuid } from '../../../src/event-sourcing/uuid.js';
import type { Projection } from '../../projection.js';
import type { Entity } from './rows.js';

/** An event that cannot be projected; `waiting` counts the events of its stream from it on. */
export type Parking = {
  readonly event: Pick<StoredEvent, 'id' | 'stream' | 'revision' | 'position'>;
  readonly reason: string;
  readonly waiting: number;
};

/** The entities that a batch of events changes, and those that it parks. */
export type FoldedBatch = {
  /** Changed entities, each once; without those whose id is not a UUID, because no row can have it. */
  readonly entities: ReadonlyArray<Entity>;
  readonly parkings: ReadonlyArray<Parking>;
};

export const groupByStream = (
  events: ReadonlyArray<StoredEvent>,
): ReadonlyMap<StreamName, ReadonlyArray<StoredEvent>> => {
  const groups = new Map<StreamName, Array<StoredEvent>>();
  for (const event of events) {
    const group = groups.get(event.stream);
    if (group === undefined) groups.set(event.stream, [event]);
    else group.push(event);
  }
  return groups;
};

export const NOT_A_UUID = 'the id is not a UUID';
const ALREADY_PARKED = 'an earlier event of the stream is parked';

/** Folds events of one entity up to one that cannot be projected. Events that it already includes are passed over. */
export const foldEntity = (
  { serde, evolve, skipped }: Projection,
  known: Entity,
  events: ReadonlyArray<StoredEvent>,
): { readonly entity: Entity; readonly parking: Parking | undefined } => {
  let { revision, state, createdAt, updatedAt } = known;
  let last: Metadata | undefined;
  let isWhole = revision < 0n || known.summary !== undefined;
  let hasKeyedCommands = known.summary?.hasKeyedCommands ?? false;
  const folded = (): Entity => {
    if (revision === known.revision) return known;
    const summary =
      isWhole && last !== undefined ? { lastHash: last.hash, lastAt: last.at, hasKeyedCommands } : undefined;
    const { id, creationPosition, isParked } = known;
    return { id, state, revision, creationPosition, createdAt, updatedAt, isParked, summary };
  };
  for (const [index, stored] of events.entries()) {
    if (stored.revision <= revision) continue;
    const park = (reason: string) => ({
      entity: { ...folded(), isParked: true },
      parking: { event: stored, reason, waiting: events.length - index },
    });
    if (known.isParked) return park(ALREADY_PARKED);
    if (stored.revision !== revision + 1n)
      return park(`revision ${String(stored.revision)} follows ${String(revision)}`);
    if (skipped?.ids.has(stored.id) === true) isWhole = false;
    else {
      const decoded = decodeUnlessErased(serde, stored);
      if (E.isLeft(decoded)) return park(decoded.left.reason);
      const { event, metadata } = decoded.right;
      if (!isPassedOver(event)) state = evolve(state, event, occurrenceOf(decoded.right));
      last = metadata;
      createdAt ??= metadata.at;
      updatedAt = metadata.at;
      hasKeyedCommands ||= isKeyed(metadata.$causationId);
    }
    revision = stored.revision;
  }
  return { entity: folded(), parking: undefined };
};

/** Folds events, by stream, onto the entities `known`; others begin with their first event in the batch. */
export const foldBatch = (
  projection: Projection,
  known: (id: string) => Entity | undefined,
  groups: ReadonlyMap<StreamName, ReadonlyArray<StoredEvent>>,
): FoldedBatch => {
  const entities: Array<Entity> = [];
  const parkings: Array<Parking> = [];
  for (const [stream, own] of groups) {
    const id = entityIdOf(stream);
    const [first] = own;
    if (first === undefined) continue;
    if (!isUuid(id)) {
      parkings.push({ event: first, reason: NOT_A_UUID, waiting: own.length });
      continue;
    }
    const before = known(id) ?? newEntity(projection, id, first);
    const { entity, parking } = foldEntity(projection, before, own);
    if (entity !== before) entities.push(entity);
    if (parking !== undefined) parkings.push(parking);
  }
  return { entities, parkings };
};

export const newEntity = ({ initialState }: Projection, id: string, first: Pick<StoredEvent, 'position'>): Entity => ({
  id,
  state: initialState,
  revision: -1n,
  creationPosition: first.position,
  createdAt: null,
  updatedAt: null,
  isParked: false,
  summary: undefined,
});
