import { makeBoundedCache } from '../../../src/event-sourcing/bounded-cache.js';
import { entityIdOf, type StoredEvent, type StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { estimateBytes } from '../../../src/event-sourcing/estimate-bytes.js';
import { isRejected } from '../../../src/postgres/sql-failure.js';
import type { RunStatement } from '../../../src/postgres/statement.js';
import { isUuid } from '../../../src/event-sourcing/uuid.js';
import { foldBatch, type FoldedBatch, groupByStream } from './fold-batch.js';
import { entityHandedOver, type HandOver } from './hand-over.js';
import { type Role, tableOf } from '../generation/generation.js';
import type { OnEngineEvent } from '../engine-event.js';
import { type Entity, readEntities } from './rows.js';
import { makeWriteBatch, type Step, type Writer, writeStep } from './write-batch.js';
import { writeWithParking } from './write-with-parking.js';

/** How much of the entities is held in memory: at most twice this. */
type CacheSize = { readonly entities: number; readonly bytes: number };

const CACHE = { entities: 2_500, bytes: 8 * 1024 * 1024 };
/** For a rebuild: its events are those of every entity that there ever was. */
export const LARGE_CACHE = { entities: 25_000, bytes: 32 * 1024 * 1024 };

/**
 * Folds events into their rows and moves the checkpoint over them, in one transaction; without events it only moves the
 * checkpoint. Resolves to the role that the generation had then. Undefined, and nothing written, in the cases of
 * `writeStep`: after that, and after an error, it must not be used again, because the entities that it holds in memory
 * may be wrong.
 */
export type ApplyBatch = (step: Omit<Step, 'last'>, events: ReadonlyArray<StoredEvent>) => Promise<Role | undefined>;

/** The entities that a batch of events changes: those that commands have handed over, and those folded here. */
type Batch = FoldedBatch & { readonly handedOver: ReadonlyArray<Entity> };

type ApplyBatchOptions = {
  readonly onEvent: OnEngineEvent;
  readonly size?: CacheSize;
  /** Where commands run in this process. */
  readonly handOver?: HandOver | undefined;
};

/** Applies batches by `run`, whose statements must all go to the database of the generation. */
export const makeApplyBatch = (
  writer: Writer,
  run: RunStatement,
  { onEvent, size = CACHE, handOver }: ApplyBatchOptions,
): ApplyBatch => {
  const { projection, generation } = writer;
  const writeBatch = makeWriteBatch(run, writer);
  const cache = makeBoundedCache<string, Entity>(size.entities, ({ state }) => estimateBytes(state), size.bytes);

  const makeEntities = async (events: ReadonlyArray<StoredEvent>): Promise<Batch> => {
    const handedOver: Array<Entity> = [];
    const toFold = new Map<StreamName, ReadonlyArray<StoredEvent>>();
    const missing: Array<string> = [];
    for (const [stream, own] of groupByStream(events)) {
      const id = entityIdOf(stream);
      const known = cache.get(id);
      const entity = handOver && entityHandedOver(handOver, projection, id, known, own);
      if (entity === undefined) {
        toFold.set(stream, own);
        if (known === undefined && own[0]?.revision !== 0n && isUuid(id)) missing.push(id);
      } else {
        handedOver.push(entity);
        // the commands hold it
        cache.delete(id);
      }
    }
    const rows = missing.length === 0 ? undefined : await readEntities(run, tableOf(generation), projection, missing);
    const folded = foldBatch(projection, (id) => cache.get(id) ?? rows?.get(id), toFold);
    return { handedOver, ...folded };
  };

  /** False when the database rejects a row of the batch. */
  const writeWhole = async (step: Step, { handedOver, entities }: Batch): Promise<Role | undefined | false> => {
    try {
      const role = await writeBatch(step, [...handedOver, ...entities]);
      for (const entity of entities) cache.set(entity.id, entity);
      return role;
    } catch (error) {
      if (isRejected(error)) return false;
      throw error;
    }
  };

  const writeCarefully = async (
    step: Step,
    { handedOver, entities, parkings }: Batch,
    events: ReadonlyArray<StoredEvent>,
  ): Promise<Role | undefined> => {
    const all = [...handedOver, ...entities];
    const written = await writeWithParking(writer, step, { entities: all, parkings }, events);
    // only the rows show which of them were written
    for (const { id } of entities) cache.delete(id);
    for (const { event, reason } of written?.parkings ?? []) {
      handOver?.parked.add(event.stream);
      onEvent({ _tag: 'Parked', projection: projection.name, event, reason });
    }
    return written?.role;
  };

  return async (move, events) => {
    const step: Step = { ...move, last: events.at(-1) };
    if (events.length === 0) return writeStep(run, writer, step);
    const batch = await makeEntities(events);
    const role = batch.parkings.length === 0 ? await writeWhole(step, batch) : false;
    return role === false ? writeCarefully(step, batch, events) : role;
  };
};
