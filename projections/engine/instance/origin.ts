import { either as E } from 'fp-ts';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { businesses } from '../../businesses.js';
import { documents } from '../../documents.js';
import { type Instance, readLive } from './instance.js';
import { ProjectionRefused } from './projection-refused.js';
import { type Database, isInstalled } from '../schema.js';

/** Where rows say that they come from. */
type Origin = Pick<Instance, 'logIdentity' | 'checkpoint' | 'last'>;

/** The parts of a log by which it is known. */
type KnownLog = Pick<EventStore, 'identity' | 'reaches' | 'readStream'>;

const orThrow = <A>(answer: E.Either<Error, A>): A => {
  if (E.isLeft(answer)) throw answer.left;
  return answer.right;
};

const holds = async (store: KnownLog, { stream, revision, id }: NonNullable<Origin['last']>): Promise<boolean> => {
  for await (const page of store.readStream(stream, { direction: 'forwards', from: revision, limit: 1 }))
    return page.some((event) => event.id === id);
  return false;
};

/**
 * Why rows are not of this log; undefined when they are. They are when it has the name of the log that they were made
 * from, is as long as they are, and holds the last event that they show: a log that was replaced can be long enough.
 * Throws what the log throws.
 */
export const mismatchOf = async (
  store: KnownLog,
  projection: string,
  { logIdentity, checkpoint, last }: Origin,
): Promise<ProjectionRefused | undefined> => {
  const identity = orThrow(await store.identity());
  if (logIdentity !== identity) return ProjectionRefused.otherLog(projection, logIdentity, identity);
  if (checkpoint !== 'start' && !orThrow(await store.reaches(checkpoint)))
    return ProjectionRefused.notInLog(projection, `position ${String(checkpoint.commit)}`);
  if (last === undefined || (await holds(store, last))) return undefined;
  return ProjectionRefused.notInLog(
    projection,
    `event ${last.id}, revision ${String(last.revision)} of ${last.stream}`,
  );
};

/** Throws `ProjectionRefused` unless the rows are of this log, and what the log throws. */
export const refuseOtherOrigin = async (store: KnownLog, projection: string, origin: Origin): Promise<void> => {
  const mismatch = await mismatchOf(store, projection, origin);
  if (mismatch !== undefined) throw mismatch;
};

/** The same for the live rows of every read model; there may be none yet. */
export const refuseOtherOrigins = async (store: KnownLog, database: Database): Promise<void> => {
  if (!(await isInstalled(database))) return;
  for (const { name } of [businesses, documents]) {
    const live = await readLive(database, name);
    if (live !== undefined) await refuseOtherOrigin(store, name, live);
  }
};
