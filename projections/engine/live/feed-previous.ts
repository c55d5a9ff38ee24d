import type { Pool } from 'pg';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import type { Projection } from '../../projection.js';
import { versionOf } from '../../version.js';
import { type ApplyBatch, makeApplyBatch } from '../apply-batch.js';
import { catchUp } from '../catch-up.js';
import { dropOutdated } from '../instance/drop-outdated.js';
import { type Instance, INSTANCE_COLUMNS, type InstanceRow, readLive, toInstance } from '../instance/instance.js';
import { acquireLease, newHolder, releaseLease } from '../instance/lease.js';
import { repeat } from '../repeat.js';
import type { Writer } from '../write-batch.js';

/** Rows that nobody reads may be this old: writing them rarely, in large batches, costs a fraction. */
const FEED_MS = 1_000;
const TIDY_MS = 60_000;

type Feeding<State, Event extends DomainEvent> = {
  readonly pool: Pool;
  readonly store: EventStore;
  readonly projection: Projection<State, Event>;
  /** How long replaced rows are kept, ms. */
  readonly windowMs: number;
  /** Whether the live rows are known to be of this log: those before them are fed from no other. */
  readonly isOwnLog: () => boolean;
};

const NEWEST_PREVIOUS = `select ${INSTANCE_COLUMNS} from read_model.instance
  where projection = $1 and version = $2 and role = 'previous' order by role_since desc limit 1`;

/** The rows one can go back to: the last that were replaced by others of the same version; undefined: none. */
export const readPrevious = async <State, Event extends DomainEvent>(
  pool: Pick<Pool, 'query'>,
  projection: Projection<State, Event>,
): Promise<Instance | undefined> => {
  const { rows } = await pool.query<InstanceRow>(NEWEST_PREVIOUS, [projection.name, versionOf(projection)]);
  return rows[0] && toInstance(rows[0]);
};

/**
 * Keeps the rows that were replaced last about a second behind the live ones, and never before them, until the window
 * is over and they are dropped. Whatever fails is tried again: nobody reads these rows.
 */
export const feedPrevious = async <State, Event extends DomainEvent>(
  { pool, store, projection, windowMs, isOwnLog }: Feeding<State, Event>,
  signal: AbortSignal,
): Promise<void> => {
  const holder = newHolder();
  let fed: { readonly writer: Writer<State, Event>; readonly apply: ApplyBatch } | undefined;
  let tidiedAt = -Infinity;

  const writing = async (instance: Instance): Promise<typeof fed> => {
    const lease = await acquireLease(pool, instance.name, holder, false);
    if (lease === undefined) return undefined;
    const isSame = fed?.writer.instance.name === instance.name && fed.writer.lease.fencing === lease.fencing;
    if (isSame) return fed;
    const writer = { pool, projection, instance, lease, notifies: false };
    // what cannot be projected has been told of when these rows were live
    return { writer, apply: makeApplyBatch(writer, () => undefined) };
  };

  const tidy = async (): Promise<void> => {
    if (performance.now() - tidiedAt < TIDY_MS) return;
    tidiedAt = performance.now();
    await dropOutdated(pool, projection, windowMs);
  };

  await repeat(FEED_MS, signal, async () => {
    if (!isOwnLog()) return;
    try {
      const instance = await readPrevious(pool, projection);
      fed = instance && (await writing(instance));
      const live = fed && (await readLive(pool, projection.name));
      if (instance !== undefined && fed !== undefined && live !== undefined && live.checkpoint !== 'start')
        await catchUp(fed.writer, store, fed.apply, instance.checkpoint, { upTo: live.checkpoint, signal });
      await tidy();
    } catch {
      // log or database are away, an operator goes back to these rows, or they are not there yet or any more
      fed = undefined;
    }
  });
  if (fed !== undefined) await releaseLease(pool, fed.writer.lease).catch(() => undefined);
};
