import { either as E } from 'fp-ts';
import type { Operations, ReadModelOperations } from '../../../projections/engine/operations.js';
import type { Decision } from '../../../projections/engine/parked/record-skip.js';
import type { Parked } from '../../../projections/engine/parked/parked.js';
import type { Repaired } from '../../../projections/engine/verify/repair.js';
import type { StreamName } from '../../event-sourcing/recorded-event.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, type JsonOption, print, printFinding, printNote } from '../output.js';
import { counted } from '../plural.js';
import { describeAppendFailure } from '../log/describe-append-failure.js';

const LISTED = 1_000;

const asJson = ({ revision, position, since, ...parked }: Parked) => ({
  ...parked,
  revision: Number(revision),
  position: position.toString(),
  since: since.toISOString(),
});

const lineOf = ({ projection, stream, revision, waiting, error, since }: Parked): string =>
  `${projection}: ${stream} waits at revision ${revision} since ${since.toISOString()}, ${counted(waiting, 'event')}: ${error}`;

export const listAll = async ({ listParked }: Operations, options: JsonOption): Promise<ExitCode> => {
  const all = await listParked(LISTED);
  for (const parked of all) printFinding(options, lineOf(parked), asJson(parked));
  if (all.length === 0 && options.json !== true) print('no entity is parked');
  return EXIT.ok;
};

/** The parked entity, and the read model that shows it. Prints a note and gives undefined when it is not parked. */
const found = async (
  { findParked, showing }: Operations,
  stream: StreamName,
): Promise<{ readonly parked: Parked; readonly readModel: ReadModelOperations } | undefined> => {
  const readModel = showing(stream);
  const parked = await findParked(stream);
  if (parked !== undefined && readModel !== undefined) return { parked, readModel };
  printNote(`${stream} is not parked`);
  return undefined;
};

/** A text that is no JSON is shown as it is. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

export const show = async (operations: Operations, stream: StreamName, options: JsonOption): Promise<ExitCode> => {
  const entity = await found(operations, stream);
  if (entity === undefined) return EXIT.failed;
  const event = await operations.readEvent(entity.parked);
  const stored = event && {
    type: event.type,
    id: event.id,
    data: parsed(event.data),
    metadata: parsed(event.metadata),
  };
  const shown = { ...asJson(entity.parked), event: stored ?? null };
  printFinding(options, JSON.stringify(shown, undefined, 2).split('\n'), shown);
  return EXIT.ok;
};

const conclude = (stream: StreamName, repaired: Repaired, options: JsonOption): ExitCode => {
  if (repaired._tag === 'Ahead')
    return failed(
      `${stream}: the row shows revision ${repaired.shown}, which is not in the log: events were removed. It stays as ` +
        'it is (`projections verify` says more)',
    );
  const isParked = repaired._tag === 'Parked';
  const waitsAt = isParked ? { revision: Number(repaired.event.revision), error: repaired.reason } : {};
  const text = isParked
    ? `${stream} stays parked at revision ${repaired.event.revision}: ${repaired.reason}`
    : `${stream} is projected again`;
  printFinding(options, text, { stream, outcome: repaired._tag, ...waitsAt });
  return isParked ? EXIT.failed : EXIT.ok;
};

const repair = async (readModel: ReadModelOperations, stream: StreamName, options: JsonOption): Promise<ExitCode> => {
  const repaired = await readModel.repair(stream);
  return E.isLeft(repaired) ? failed(repaired.left.message) : conclude(stream, repaired.right, options);
};

export const retry = async (operations: Operations, stream: StreamName, options: JsonOption): Promise<ExitCode> => {
  const entity = await found(operations, stream);
  return entity === undefined ? EXIT.failed : repair(entity.readModel, stream, options);
};

/** Tries the entity first: it may need no decision any more, and else this finds the event that has to be skipped. */
export const skip = async (
  operations: Operations,
  stream: StreamName,
  decision: Decision,
  options: JsonOption,
): Promise<ExitCode> => {
  const entity = await found(operations, stream);
  if (entity === undefined) return EXIT.failed;
  const { readModel } = entity;
  const tried = await readModel.repair(stream);
  if (E.isLeft(tried)) return failed(tried.left.message);
  if (tried.right._tag === 'Projected') printNote('nothing was skipped: the event can be projected now');
  if (tried.right._tag !== 'Parked') return conclude(stream, tried.right, options);
  const { revision, id: eventId } = tried.right.event;
  const recorded = await readModel.recordSkip({ stream, revision, eventId }, decision);
  if (E.isLeft(recorded)) return failed(`not skipped: ${describeAppendFailure(recorded.left)}`);
  return repair(readModel, stream, options);
};
