import { readEvent } from '../../../src/event-sourcing/read-event.js';
import { orThrow } from '../../../src/event-sourcing/attempt.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { ReadModel } from '../../read-model.js';
import { EngineError, type WrongLog } from '../engine-failure.js';
import type { ReadModelStorage } from '../storage.js';
import { type Generation, liveOf } from './generation.js';

/** What a generation records of the log that it was made from. */
type Provenance = Pick<Generation, 'logIdentity' | 'checkpoint' | 'last'>;

/** What is needed of a log to recognise it. */
export type RecognisableLog = Pick<EventStore, 'identity' | 'reaches' | 'readStream'>;

/** How often a running service examines rows that are of its log again, ms: the log can be replaced meanwhile. */
export const EXAMINE_MS = 10_000;

const rebuildBy = (projection: string, option: string): string =>
  `\`npx --no-install ops projections rebuild ${projection} ${option}\` makes them anew from it; ` +
  'running services take them up by themselves.';

export const otherLog = (projection: string, recorded: string, connected: string): WrongLog => {
  const reason = `The read model "${projection}" was made from the log ${recorded}, but the log ${connected} is connected`;
  const message = `${reason}. Connect that log. If this log is the right one, ${rebuildBy(projection, '--from-other-log')}`;
  return { _tag: 'WrongLog', difference: 'OtherLog', reason, message };
};

export const otherPast = (projection: string, what: string): WrongLog => {
  const reason = `The read model "${projection}" has seen ${what}, which is not in the log`;
  const message =
    `${reason}. The log was restored from an earlier backup, or replaced. Connect the log that the rows were made ` +
    `from; or, if this is the right one, ${rebuildBy(projection, '--from-scratch')}`;
  return { _tag: 'WrongLog', difference: 'OtherPast', reason, message };
};

/** While it is not known whether the rows have seen more than a log that has just been found to lack events. */
export const eventsLost = (projection: string): WrongLog => {
  const reason = 'The log lacks events that were in it: it was put back';
  const message = `${reason}. Whether the read model "${projection}" has seen them is examined now`;
  return { _tag: 'WrongLog', difference: 'OtherPast', reason, message };
};

/**
 * Why rows are not of this log; undefined when they are. The log must have the recorded name, reach the checkpoint, and
 * hold the newest event that the rows show (a log restored from a backup may have grown past the checkpoint again).
 * Throws what the log throws.
 */
export const wrongLogOf = async (
  store: RecognisableLog,
  projection: string,
  { logIdentity, checkpoint, last }: Provenance,
): Promise<WrongLog | undefined> => {
  const identity = orThrow(await store.identity());
  if (logIdentity !== identity) return otherLog(projection, logIdentity, identity);
  if (checkpoint !== 'start' && !orThrow(await store.reaches(checkpoint)))
    return otherPast(projection, `position ${String(checkpoint.commit)}`);
  if (last === undefined || (await readEvent(store, last.stream, last.revision))?.id === last.id) return undefined;
  return otherPast(projection, `event ${last.id}, revision ${String(last.revision)} of ${last.stream}`);
};

/** Throws `WrongLog` unless the rows are of this log, and what the log throws. */
export const requireSameLog = async (store: RecognisableLog, projection: string, rows: Provenance): Promise<void> => {
  const wrongLog = await wrongLogOf(store, projection, rows);
  if (wrongLog !== undefined) throw new EngineError(wrongLog);
};

/** As `requireSameLog`, for the live rows of every read model that has some. */
export const requireSameLogs = async (
  store: RecognisableLog,
  storage: Pick<ReadModelStorage, 'generations'>,
  projections: ReadonlyArray<ReadModel>,
): Promise<void> => {
  for (const { name } of projections) {
    const live = liveOf(await storage.generations(name));
    if (live !== undefined) await requireSameLog(store, name, live);
  }
};
