import { either as E } from 'fp-ts';
import { mismatchOf } from '../../../projections/engine/instance/origin.js';
import type { InstanceStatus } from '../../../projections/engine/instance/read-statuses.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { lagOf, MAX_COUNTED } from '../../infrastructure/metrics/lag.js';

/** An instance as it is shown; what is not known or does not apply is null. */
export type InstanceLine = {
  readonly projection: string;
  readonly version: string;
  readonly instance: string;
  readonly role: string;
  readonly position: string | null;
  readonly head: string | null;
  /** Counted up to 10,000. */
  readonly lagEvents: number | null;
  readonly lagSeconds: number | null;
  /** Events a second since the last look; null at the first. */
  readonly rate: number | null;
  readonly leader: string | null;
  readonly leaseSeconds: number | null;
  readonly parked: number;
  readonly lastError: string | null;
  /** Why the rows are not of this log; then nothing can be said of their lag. */
  readonly refused: string | null;
};

/** An earlier look, to tell the rate from. */
export type Look = { readonly at: number; readonly checkpoints: ReadonlyMap<string, InstanceStatus['checkpoint']> };

const categoryOf = (projection: string): string => (projection === 'businesses' ? 'business' : 'document');

const commitOf = (checkpoint: InstanceStatus['checkpoint']): bigint =>
  checkpoint === 'start' ? -1n : checkpoint.commit;

/** Events of a category between two places, counted up to `MAX_COUNTED`. */
const countBetween = async (
  store: EventStore,
  category: string,
  after: InstanceStatus['checkpoint'],
  upTo: bigint,
): Promise<number> => {
  if (commitOf(after) >= upTo) return 0;
  let count = 0;
  for await (const { events, checkpoint } of store.readAll({ after, categories: [category] })) {
    count += events.filter(({ position }) => position <= upTo).length;
    if (checkpoint.commit >= upTo || count >= MAX_COUNTED) break;
  }
  return count;
};

const rateOf = async (
  store: EventStore,
  { projection, name, checkpoint }: InstanceStatus,
  before: Look | undefined,
): Promise<number | null> => {
  const earlier = before?.checkpoints.get(name);
  if (before === undefined || earlier === undefined) return null;
  const events = await countBetween(store, categoryOf(projection), earlier, commitOf(checkpoint));
  return Math.round((events * 1_000) / (performance.now() - before.at));
};

/** Rejects with the store's failure. */
export const toLine = async (
  store: EventStore,
  status: InstanceStatus,
  before: Look | undefined,
): Promise<InstanceLine> => {
  const { projection, version, name, role, checkpoint, leader, parked, lastError } = status;
  const head = await store.head([categoryOf(projection)]);
  if (E.isLeft(head)) throw head.left;
  const refused = await mismatchOf(store, projection, status);
  const lag = refused === undefined ? await lagOf(store, categoryOf(projection), checkpoint, new Date()) : undefined;
  return {
    projection,
    version,
    instance: name,
    role,
    position: checkpoint === 'start' ? null : checkpoint.commit.toString(),
    head: head.right?.toString() ?? null,
    lagEvents: lag?.events ?? null,
    lagSeconds: lag === undefined ? null : Math.round(lag.seconds * 10) / 10,
    rate: refused === undefined ? await rateOf(store, status, before) : null,
    leader: leader?.holder ?? null,
    leaseSeconds: leader === undefined ? null : Math.round(leader.seconds * 10) / 10,
    parked,
    lastError: lastError ?? null,
    refused: refused?.message ?? null,
  };
};
