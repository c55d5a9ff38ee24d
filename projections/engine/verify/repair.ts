import { type Ahead, findAhead } from '../../../src/event-sourcing/ahead.js';
import { orThrow } from '../../../src/event-sourcing/attempt.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { entityIdOf, type StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { makeRetry } from '../../../src/event-sourcing/retry.js';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import { isUuid } from '../../../src/event-sourcing/uuid.js';
import type { Projection } from '../../projection.js';
import { leaseLost } from '../engine-failure.js';
import { commitOf } from '../generation/generation.js';
import { newHolder } from '../generation/lease.js';
import { whileHeld } from '../generation/while-held.js';
import { noLiveRows, readWritableLive } from '../generation/writable-live.js';
import { withSkips } from '../parked/skips.js';
import { foldEntity, newEntity, type Parking } from '../rows/fold-batch.js';
import { foldStream, type FoldedStream } from '../rows/fold-stream.js';
import type { EntityWriter, ReadModelStorage, RewrittenRow } from '../storage.js';

/** `Parked`: an event still cannot be projected. `Ahead`: the row shows more events than its stream, and is as it was. */
export type Repaired =
  | { readonly _tag: 'Projected' }
  | ({ readonly _tag: 'Parked' } & Pick<Parking, 'event' | 'reason'>)
  | ({ readonly _tag: 'Ahead' } & Ahead);

export type RepairOptions = {
  /**
   * Whether a row that shows more events than its stream is written anew, too. Such a row is evidence that events were
   * removed from the log. Default: no.
   */
  readonly acceptsShorterHistory?: boolean;
};

type RepairDeps = { readonly runtime: Runtime; readonly storage: ReadModelStorage; readonly store: EventStore };

/** How often the row is folded again because the checkpoint has moved: a batch may be under way when the lease is taken. */
const ATTEMPTS = { attempts: 20, first: 20, longest: 500 };

const findRowAhead = async (
  { storage, store }: RepairDeps,
  projection: Projection,
  stream: StreamName,
): Promise<Ahead | undefined> => {
  const rows = storage.storedRows(projection, await readWritableLive(storage, projection));
  const [snapshot] = (await rows.snapshots([entityIdOf(stream)])) ?? [];
  const revision = snapshot?.row?.['revision'];
  return typeof revision === 'string' ? orThrow(await findAhead(store, stream, BigInt(revision))) : undefined;
};

/** The row as it was before the first event with which the storage rejects it, parked at that. Undefined when there is none. */
const parkRejected = async (
  { storage, store }: RepairDeps,
  writer: EntityWriter,
  stream: StreamName,
  { entity: { id, creationPosition, revision: last }, parking }: FoldedStream,
): Promise<RewrittenRow | undefined> => {
  const upTo = commitOf(writer.generation.checkpoint);
  let entity = newEntity(writer.projection, id, { position: creationPosition });
  for await (const page of store.readStream(stream, { direction: 'forwards' }))
    for (const event of [...page].filter(({ position, revision }) => position <= upTo && revision <= last)) {
      const { entity: next } = foldEntity(writer.projection, entity, [event]);
      const rejected = await storage.whyRejected(writer, { ...next, isParked: true });
      if (rejected !== undefined) {
        const waiting = Number(last - event.revision) + 1 + (parking?.waiting ?? 0);
        const reason = `the row was rejected: ${rejected}`;
        return { stream, entity: { ...entity, isParked: true }, parking: { event, reason, waiting } };
      }
      entity = next;
    }
  return undefined;
};

const repaired = (parking: Parking | undefined): Repaired =>
  parking === undefined ? { _tag: 'Projected' } : { _tag: 'Parked', event: parking.event, reason: parking.reason };

/** Writes the row up to the checkpoint. Undefined when that has moved meanwhile. */
const attempt = async (deps: RepairDeps, writer: EntityWriter, stream: StreamName): Promise<Repaired | undefined> => {
  const { storage, store } = deps;
  const { projection, generation } = writer;
  const rewrite = (row: RewrittenRow) => storage.rewrite(writer, generation.checkpoint, { ...row, mustBeLive: true });
  const folded = await foldStream(projection, store, stream, commitOf(generation.checkpoint));
  const { entity, parking } = folded ?? {};
  const written = await rewrite({ stream, entity, parking });
  if (written === 'Written') return repaired(parking);
  if (written === 'Moved' || folded === undefined) return undefined;
  const row = await parkRejected(deps, writer, stream, folded);
  return row !== undefined && (await rewrite(row)) === 'Written' ? repaired(row.parking) : undefined;
};

/**
 * Writes the live row of an entity anew from its stream up to the checkpoint, without the events that operators have
 * decided to skip. A projector may run meanwhile: its lease is taken for that long, because what it has read and not written yet
 * may be outdated. The row of a stream without events is deleted. Throws what log and database throw, and `NoLiveRows`.
 */
export const repair = async (
  deps: RepairDeps,
  given: Projection,
  stream: StreamName,
  { acceptsShorterHistory = false }: RepairOptions = {},
): Promise<Repaired> => {
  if (!isUuid(entityIdOf(stream))) throw noLiveRows(`no row can show ${stream}: its id is not a UUID`);
  const { runtime, storage, store } = deps;
  const projection = await withSkips(store, given);
  const ahead = acceptsShorterHistory ? undefined : await findRowAhead(deps, given, stream);
  if (ahead !== undefined) return { _tag: 'Ahead', ...ahead };
  const { name } = await readWritableLive(storage, given);
  const lease = await storage.acquire(name, newHolder(runtime.random), true);
  if (lease === undefined) throw leaseLost(name);
  try {
    return await whileHeld(runtime.clock, storage, lease, new AbortController().signal, async (signal) => {
      const retry = makeRetry({ runtime, ...ATTEMPTS, signal });
      do {
        signal.throwIfAborted();
        const generation = await readWritableLive(storage, given);
        if (generation.name !== name) throw leaseLost(name);
        const done = await attempt(deps, { projection, generation, lease, notifies: false }, stream);
        if (done !== undefined) return done;
      } while (await retry.again());
      signal.throwIfAborted();
      throw leaseLost(name);
    });
  } finally {
    await storage.release(lease);
  }
};
