import type { Copied, CopyFailure } from '../../event-sourcing/whole-log/copy-log.js';
import type { StoredEvent } from '../../event-sourcing/recorded-event.js';
import type { LogLocation } from '../../infrastructure/open-stores.js';
import { describeAppendFailure } from './describe-append-failure.js';
import { nameLocation } from './location.js';

export type Route = { readonly from: LogLocation; readonly to: LogLocation };

const nameEvent = ({ stream, revision, id }: StoredEvent): string => `${stream}, revision ${revision}, event ${id}`;

export const describeCopyFailure = (failure: CopyFailure): string => {
  switch (failure._tag) {
    case 'OtherLog':
      return `the target holds another log (${failure.target}, not ${failure.source}): copy into an empty one`;
    case 'LogsDiffer': {
      const { found, wanted } = failure;
      const instead = wanted === undefined ? 'where the source has ended' : `instead of ${nameEvent(wanted)}`;
      return `the target is no copy of the source: it holds ${nameEvent(found)} ${instead}`;
    }
    case 'BrokenLink':
      return `the chain is broken at ${nameEvent(failure.event)}: ${failure.reason}`;
    case 'AppendRejected':
    case 'RevisionConflict':
    case 'StoreUnavailable':
      return `copying ended: ${describeAppendFailure(failure)}; the same command goes on where it ended`;
  }
};

/** How a service is told to keep its log there. */
const settingsFor = (location: LogLocation): string => {
  switch (location._tag) {
    case 'Embedded':
      return 'without EVENTSTOREDB_URL and DATABASE_URL';
    case 'Postgres':
      return `with DATABASE_URL=${nameLocation(location)} and without EVENTSTOREDB_URL`;
    case 'EventStoreDb':
      return `with EVENTSTOREDB_URL=${nameLocation(location)}`;
  }
};

export const describeCopy = ({ events, streams, copied, isLevel }: Copied): string =>
  [
    `copied ${copied} events; the target holds ${events} events in ${streams} streams,`,
    'each compared with the source, every chain intact;',
    isLevel ? 'the source has no further ones' : 'the source has gone on meanwhile',
  ].join(' ');

/** What is left to do until the service works on the copy. */
export const stepsToCutOver = ({ from, to }: Route): string =>
  [
    'To go over to the copy:',
    '  1. Stop the service, every process of it.',
    `  2. npm run -s ops -- log copy --from '${nameLocation(from)}' --to '${nameLocation(to)}' --cut-over`,
    `  3. Start the service ${settingsFor(to)}.`,
    'The old log is not changed; never start a service on it again.',
  ].join('\n');

const fateOfReadModels = (tablesMoved: number, keepsReadModels: boolean): string => {
  if (!keepsReadModels) return 'The read models are made anew in the new database when the service starts.';
  return tablesMoved === 0
    ? 'There are no read models yet: they are made when the service starts.'
    : `The read models go on where they are (${tablesMoved} tables moved): nothing is built anew.`;
};

export const stepsAfterCutOver = (
  { from, to }: Route,
  moved: ReadonlyArray<string>,
  keepsReadModels: boolean,
): string =>
  [
    fateOfReadModels(moved.length, keepsReadModels),
    `Start the service ${settingsFor(to)}.`,
    `The old log is not changed; never start a service on it again. The way back is the same command from '${nameLocation(to)}' to '${nameLocation(from)}'.`,
  ].join('\n');
