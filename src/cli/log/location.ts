import { InvalidArgumentError } from 'commander';
import { either as E } from 'fp-ts';
import type { Config } from '../../config.js';
import { asEsdb, logServerUrl, postgresUrl } from '../../config/variables.js';
import { maskedAddress } from '../masked-address.js';
import { configuredLog, type LogLocation } from '../../infrastructure/open-stores.js';

/** `embedded`, or a connection string, as it stands on the command line. */
export type GivenLocation = { readonly _tag: 'Embedded' } | Exclude<LogLocation, { readonly _tag: 'Embedded' }>;

export const locationArgument = (text: string): GivenLocation => {
  if (text === 'embedded') return { _tag: 'Embedded' };
  if (E.isRight(postgresUrl(text))) return { _tag: 'Postgres', url: text };
  if (E.isRight(logServerUrl(text))) return { _tag: 'EventStoreDb', url: text };
  throw new InvalidArgumentError(
    'A log is at esdb:// or kurrentdb://…, at postgres://… or embedded. Percent-encode each of : / ? # @ % in a user and a password.',
  );
};

/** What was given, or the log of the service with this configuration. */
export const locate = (given: GivenLocation | undefined, config: Config): LogLocation => {
  if (given === undefined) return configuredLog(config);
  return given._tag === 'Embedded' ? { ...given, dataDir: config.dataDir } : given;
};

/** Without its password: `embedded`, or what `maskedAddress` shows. */
export const nameLocation = (location: LogLocation): string =>
  location._tag === 'Embedded' ? 'embedded' : maskedAddress(location.url);

export const isSameLocation = (one: LogLocation, other: LogLocation): boolean =>
  one._tag === 'Embedded' || other._tag === 'Embedded'
    ? one._tag === other._tag
    : asEsdb(one.url) === asEsdb(other.url);
