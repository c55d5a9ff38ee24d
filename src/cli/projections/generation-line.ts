import { orThrow } from '../../event-sourcing/attempt.js';
import { commitOf, type GenerationStatus } from '../../../projections/engine/generation/generation.js';
import { wrongLogOf } from '../../../projections/engine/generation/provenance.js';

import type { EventStore } from '../../event-sourcing/event-store.js';
import { lagOf, MAX_COUNTED } from '../../infrastructure/metrics/lag.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

/** A generation as it is shown; what is not known or does not apply is null. */
export type GenerationLine = {
  readonly projection: string;
  readonly version: string;
  /** Its name, by which all messages call it: the name of its table. */
  readonly generation: string;
  /** The same, for programs written before it was called a generation. */
  readonly instance: string;
  readonly role: string;
  readonly position: string | null;
  readonly head: string | null;
  /** Counted up to 10,000. */
  readonly lagEvents: number | null;
  readonly lagSeconds: number | null;
  /** Events a second since the last reading; null at the first. */
  readonly rate: number | null;
  readonly leader: string | null;
  readonly leaseSeconds: number | null;
  readonly parked: number;
  readonly lastError: string | null;
  /** Why the rows are not of this log; their lag is null then. */
  readonly refused: string | null;
};

/** An earlier reading, for the rate. */
export type Reading = {
  readonly at: number;
  readonly checkpoints: ReadonlyMap<string, GenerationStatus['checkpoint']>;
};

/** Events of some categories between two checkpoints, counted up to `MAX_COUNTED`. */
const countBetween = async (
  store: EventStore,
  categories: ReadonlyArray<string>,
  after: GenerationStatus['checkpoint'],
  upTo: bigint,
): Promise<number> => {
  if (commitOf(after) >= upTo) return 0;
  let count = 0;
  for await (const { events, checkpoint } of store.readAll({ after, categories })) {
    count += events.filter(({ position }) => position <= upTo).length;
    if (checkpoint.commit >= upTo || count >= MAX_COUNTED) break;
  }
  return count;
};

const rateOf = async (
  store: EventStore,
  categories: ReadonlyArray<string>,
  { name, checkpoint }: GenerationStatus,
  before: Reading | undefined,
): Promise<number | null> => {
  const earlier = before?.checkpoints.get(name);
  if (before === undefined || earlier === undefined) return null;
  const events = await countBetween(store, categories, earlier, commitOf(checkpoint));
  return Math.round((events * 1_000) / (systemRuntime.clock.monotonic() - before.at));
};

type Lag = Pick<GenerationLine, 'head' | 'lagEvents' | 'lagSeconds' | 'rate' | 'refused'>;

const UNKNOWN: Lag = { head: null, lagEvents: null, lagSeconds: null, rate: null, refused: null };

/** How far the rows are behind the events that they are made from; null where they are of another log. */
const lagLine = async (
  store: EventStore,
  categories: ReadonlyArray<string>,
  status: GenerationStatus,
  before: Reading | undefined,
): Promise<Lag> => {
  const head = orThrow(await store.head(categories));
  const newest = head?.toString() ?? null;
  const wrongLog = await wrongLogOf(store, status.projection, status);
  if (wrongLog !== undefined) return { ...UNKNOWN, head: newest, refused: wrongLog.message };
  const { events, seconds } = await lagOf(store, categories, status.checkpoint, systemRuntime.clock.date());
  const rate = await rateOf(store, categories, status, before);
  return { head: newest, lagEvents: events, lagSeconds: Math.round(seconds * 10) / 10, rate, refused: null };
};

/** `categories` is undefined for a read model that this program does not know. Rejects with the store's failure. */
export const toLine = async (
  store: EventStore,
  categories: ReadonlyArray<string> | undefined,
  status: GenerationStatus,
  before: Reading | undefined,
): Promise<GenerationLine> => {
  const { projection, version, name, role, checkpoint, leader, parked, lastError } = status;
  const { refused, ...lag } = categories === undefined ? UNKNOWN : await lagLine(store, categories, status, before);
  return {
    projection,
    version,
    generation: name,
    instance: name,
    role,
    position: checkpoint === 'start' ? null : checkpoint.commit.toString(),
    ...lag,
    leader: leader?.holder ?? null,
    leaseSeconds: leader === undefined ? null : Math.round(leader.seconds * 10) / 10,
    parked,
    lastError: lastError ?? null,
    refused,
  };
};
