import type { Ahead } from '../../../src/event-sourcing/ahead.js';
import { makeBoundedCache } from '../../../src/event-sourcing/bounded-cache.js';
import { entityIdOf, type StoredEvent, type StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { estimateBytes } from '../../../src/event-sourcing/estimate-bytes.js';
import { isUuid } from '../../../src/event-sourcing/uuid.js';
import { foldBatch, type FoldedBatch, groupByStream } from './fold-batch.js';
import { entityHandedOver, type HandOver } from './hand-over.js';
import type { Role } from '../generation/generation.js';
import type { ApplyBatch } from './prepared-batch.js';
import type { OnEngineEvent } from '../engine-event.js';
import type { EntityRows, EntityWriter, Step } from '../storage.js';
import type { Entity } from './rows.js';

/** How much of the entities is held in memory: at most twice this. */
export type CacheSize = { readonly entities: number; readonly bytes: number };

const CACHE = { entities: 2_500, bytes: 8 * 1024 * 1024 };
/** For a rebuild: its events are those of every entity that there ever was. */
export const LARGE_CACHE = { entities: 25_000, bytes: 32 * 1024 * 1024 };

/** The entities that a batch of events changes: those that commands have handed over, and those folded here. */
type Batch = FoldedBatch & {
  readonly events: ReadonlyArray<StoredEvent>;
  readonly handedOver: ReadonlyArray<Entity>;
  /** Streams of which the rows show more than their events: only whoever writes these rows knows that nobody else has. */
  readonly ahead: ReadonlyArray<Ahead & { readonly stream: StreamName }>;
  /** Writes the rows of all entities; undefined when some are parked, which is found out for each row. */
  readonly writeRows: ReturnType<EntityRows['prepare']> | undefined;
  /** It is folded again when the epoch is another one by the time it is written. */
  readonly epoch: number;
};

type ApplyToEntitiesOptions = {
  readonly onEvent: OnEngineEvent;
  readonly size?: CacheSize;
  readonly handOver?: HandOver | undefined;
};

const findRowsAhead = (
  groups: ReadonlyMap<StreamName, ReadonlyArray<StoredEvent>>,
  before: (id: string) => Entity | undefined,
): Batch['ahead'] =>
  [...groups].flatMap(([stream, own]) => {
    const shown = before(entityIdOf(stream))?.revision;
    const newest = own.at(-1)?.revision;
    return shown !== undefined && newest !== undefined && newest <= shown ? [{ stream, shown, newest }] : [];
  });

/** As `makeApplyBatch`, for a read model with a row for each entity. */
export const makeApplyToEntities = (
  writer: EntityWriter,
  stored: EntityRows,
  { onEvent, size = CACHE, handOver }: ApplyToEntitiesOptions,
): ApplyBatch => {
  const { projection } = writer;
  const cache = makeBoundedCache<string, Entity>(size.entities, ({ state }) => estimateBytes(state), size.bytes);
  /** Entities of the batches that are folded and not yet written; none of them is in the cache, too. */
  const unwritten = new Map<string, Entity>();
  /** Changes when entities of a batch were not written as they had been folded. */
  let epoch = 0;
  let folding: Promise<unknown> = Promise.resolve();

  const isNewest = (entity: Entity): boolean => unwritten.get(entity.id) === entity;

  const known = (id: string): Entity | undefined => unwritten.get(id) ?? cache.get(id);

  /** Reads the entities of streams as they are before these events. */
  const readBefore = async (
    groups: ReadonlyMap<StreamName, ReadonlyArray<StoredEvent>>,
  ): Promise<(id: string) => Entity | undefined> => {
    const missing: Array<string> = [];
    /** Held here, because the cache may forget an entity while the rows of others are read. */
    const held = new Map<string, Entity>();
    for (const [stream, [first]] of groups) {
      const id = entityIdOf(stream);
      const entity = known(id);
      if (entity !== undefined) held.set(id, entity);
      else if (first?.revision !== 0n && isUuid(id)) missing.push(id);
    }
    // these rows do not change meanwhile: what is not yet written is known
    const found = missing.length === 0 ? undefined : await stored.read(missing);
    return (id) => held.get(id) ?? found?.get(id);
  };

  const foldNow = async (events: ReadonlyArray<StoredEvent>): Promise<Batch> => {
    const handedOver: Array<Entity> = [];
    const toFold = new Map<StreamName, ReadonlyArray<StoredEvent>>();
    const began = epoch;
    for (const [stream, own] of groupByStream(events)) {
      const id = entityIdOf(stream);
      const entity = handOver && entityHandedOver(handOver, projection, id, known(id), own);
      if (entity === undefined) toFold.set(stream, own);
      else handedOver.push(entity);
    }
    const before = await readBefore(toFold);
    const ahead = findRowsAhead(toFold, before);
    const { entities, parkings } = foldBatch(projection, before, toFold);
    const all = [...handedOver, ...entities];
    const writeRows = parkings.length === 0 ? stored.prepare(all) : undefined;
    for (const entity of all) {
      unwritten.set(entity.id, entity);
      cache.delete(entity.id);
    }
    return { events, handedOver, entities, parkings, ahead, writeRows, epoch: began };
  };

  const fold = (events: ReadonlyArray<StoredEvent>): Promise<Batch> => {
    const folded = folding.then(() => foldNow(events));
    folding = folded.catch(() => undefined); // whoever asked for it is told
    return folded;
  };

  const foldAgain = (events: ReadonlyArray<StoredEvent>): Promise<Batch> => {
    // after those that were folded as wrongly, and before any other
    folding = folding.then(() => unwritten.clear());
    return fold(events);
  };

  const writeWhole = async (
    step: Step,
    { handedOver, entities }: Batch,
    writeRows: NonNullable<Batch['writeRows']>,
  ): Promise<Role | 'Rejected' | undefined> => {
    const role = await writeRows(step);
    if (role === 'Rejected') return role;
    for (const entity of entities) if (isNewest(entity)) cache.set(entity.id, entity);
    // the commands hold those that they handed over
    for (const entity of [...handedOver, ...entities]) if (isNewest(entity)) unwritten.delete(entity.id);
    return role;
  };

  const writeCarefully = async (
    step: Step,
    { handedOver, entities, parkings, events }: Batch,
  ): Promise<Role | undefined> => {
    const all = [...handedOver, ...entities];
    const written = await stored.writeWithParking(step, { entities: all, parkings, events });
    // only the rows show which of them were written
    epoch += 1;
    unwritten.clear();
    for (const { event, reason } of written?.parkings ?? []) {
      handOver?.parked.add(event.stream);
      onEvent({ _tag: 'Parked', projection: projection.name, event, reason });
    }
    return written?.role;
  };

  const write = async (move: Omit<Step, 'last'>, folded: Batch): Promise<Role | undefined> => {
    const { events } = folded;
    const step: Step = { ...move, last: events.at(-1) };
    if (events.length === 0) return stored.step(step);
    const batch = folded.epoch === epoch ? folded : await foldAgain(events);
    const role = batch.writeRows === undefined ? 'Rejected' : await writeWhole(step, batch, batch.writeRows);
    const written = role === 'Rejected' ? await writeCarefully(step, batch) : role;
    if (written !== undefined)
      for (const found of batch.ahead) onEvent({ _tag: 'Ahead', projection: projection.name, ...found });
    return written;
  };

  return {
    prepare: async (events) => {
      const folded = await fold(events);
      return { events, write: (step) => write(step, folded) };
    },
    readAhead: async (events) => {
      const groups = groupByStream(events);
      const before = await readBefore(groups);
      // they are read again: it is not known here whether what is folded is written
      for (const stream of groups.keys()) cache.delete(entityIdOf(stream));
      return (step, first) => {
        const folded = foldBatch(projection, before, groupByStream(first));
        return { rowFor: 'entity', writer, step, batch: { ...folded, events: first } };
      };
    },
  };
};
