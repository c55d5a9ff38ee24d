import { InvalidArgumentError } from 'commander';
import { either as E } from 'fp-ts';
import type { Config } from '../../config.js';
import { asEsdb, logServerUrl, postgresUrl } from '../../config/variables.js';
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

/** Its scheme, user, hosts, path and switches alone: the password, and other options, which may hold one, are out of sight. */
export const nameLocation = (location: LogLocation): string => {
  if (location._tag === 'Embedded') return 'embedded';
  const parts = /^([a-z+]+:\/\/)(?:([^:@/?#]*)(:[^@/?#]*)?@)?([^@?#]*)(?:\?([^#@]*))?$/.exec(location.url);
  if (parts === null) return `${location.url.replace(/:.*$/s, '')}://***`;
  const [, scheme = '', user, password, rest = '', options] = parts;
  const masked = user === undefined ? '' : `${user}${password === undefined ? '' : ':***'}@`;
  const shown = options?.split('&').map((option) => (/^\w+=(true|false)$/.test(option) ? option : '***'));
  return `${scheme}${masked}${rest}${shown === undefined ? '' : `?${shown.join('&')}`}`;
};

export const isSameLocation = (one: LogLocation, other: LogLocation): boolean =>
  one._tag === 'Embedded' || other._tag === 'Embedded'
    ? one._tag === other._tag
    : asEsdb(one.url) === asEsdb(other.url);
