import type { Copied, CopyFailure } from '../../event-sourcing/whole-log/copy-log.js';
import { isEncrypted } from '../../event-sourcing/encryption/at-rest.js';
import type { StoredEvent } from '../../event-sourcing/recorded-event.js';
import type { LogLocation } from '../../infrastructure/open-stores.js';
import { counted } from '../plural.js';
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
      if (wanted !== undefined && isEncrypted(found) && !isEncrypted(wanted))
        return 'the data in the target is encrypted, and that in the source is not: give --encrypt, as when the copy was begun';
      if (wanted?.id === found.id)
        return `the target is no copy of the source: ${nameEvent(found)} is another there. Where it was erased since, begin with an empty log`;
      const instead = wanted === undefined ? 'where the source ends' : `instead of ${nameEvent(wanted)}`;
      return `the target is no copy of the source: it holds ${nameEvent(found)} ${instead}`;
    }
    case 'BrokenLink':
      return `the chain is broken at ${nameEvent(failure.event)}: ${failure.reason}`;
    case 'AppendRejected':
    case 'RevisionConflict':
    case 'StoreUnavailable':
      return `copying stopped: ${describeAppendFailure(failure)}; give the same command again to continue`;
  }
};

/** The settings with which a service keeps its log there. */
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
    `copied ${counted(copied, 'event')}; the target holds ${counted(events, 'event')} in ${counted(streams, 'stream')},`,
    'each compared with the source, every chain intact;',
    isLevel ? 'the source has no more events' : 'the source has got new events meanwhile',
  ].join(' ');

/** And so that it reads what was encrypted. */
const WITH_KEYS = ', and with ERASURE and ERASURE_KEY as this command has them';

/** What is left to do until the service uses the copy. */
export const stepsToCutOver = ({ from, to }: Route, encrypts: boolean): string =>
  [
    'To switch the service to the copy:',
    '  1. Stop the service, every process of it.',
    `  2. npx --no-install ops log copy --from '${nameLocation(from)}' --to '${nameLocation(to)}' --cut-over${encrypts ? ' --encrypt' : ''}`,
    `  3. Start the service ${settingsFor(to)}${encrypts ? WITH_KEYS : ''}.`,
    'The old log is unchanged; never start a service on it again.',
  ].join('\n');

const describeReadModels = (tablesMoved: number, keepsReadModels: boolean): string => {
  if (!keepsReadModels) return 'The service builds the read models in the new database when it starts.';
  return tablesMoved === 0
    ? 'There are no read models yet: the service builds them when it starts.'
    : `The read models are kept (${counted(tablesMoved, 'table')} moved to the copy): nothing has to be rebuilt.`;
};

export const stepsAfterCutOver = (
  { from, to }: Route,
  moved: ReadonlyArray<string>,
  keepsReadModels: boolean,
  encrypts: boolean,
): string =>
  [
    describeReadModels(moved.length, keepsReadModels),
    `Start the service ${settingsFor(to)}${encrypts ? WITH_KEYS : ''}.`,
    encrypts
      ? 'The old log is unchanged, and nothing of it can be erased: never start a service on it again, and destroy it when it is not needed any more.'
      : `The old log is unchanged; never start a service on it again. To go back, give the same command from '${nameLocation(to)}' to '${nameLocation(from)}'.`,
  ].join('\n');
