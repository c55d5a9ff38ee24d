import { either as E } from 'fp-ts';
import * as t from 'io-ts';

const LogLevel = t.keyof({ fatal: null, error: null, warn: null, info: null, debug: null, trace: null, silent: null });
export type LogLevel = t.TypeOf<typeof LogLevel>;

/** A variable's decoder: the value, or what was expected of it. */
export type Variable<A> = (text: string) => E.Either<string, A>;

export const text: Variable<string> = E.right;

export const integer =
  (min: number, max: number): Variable<number> =>
  (value) =>
    /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max
      ? E.right(Number(value))
      : E.left(`a whole number from ${min} to ${max}`);

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Seconds in a text like `90s`, `30m`, `24h` or `7d`. */
export const duration: Variable<number> = (value) => {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(value) ?? [];
  const seconds = unit === undefined ? undefined : SECONDS[unit];
  return seconds === undefined ? E.left('a time like 90s, 30m, 24h or 7d') : E.right(Number(count) * seconds);
};

/** A duration that is not 0. */
export const period: Variable<number> = (value) =>
  E.filterOrElse(
    (seconds: number) => seconds > 0,
    () => 'a time like 90s, 30m, 24h or 7d',
  )(duration(value));

export const flag: Variable<boolean> = (value) => {
  if (/^(true|1|yes)$/i.test(value)) return E.right(true);
  return /^(false|0|no)$/i.test(value) ? E.right(false) : E.left('true or false');
};

export const url =
  (...schemes: ReadonlyArray<string>): Variable<string> =>
  (value) =>
    schemes.some((scheme) => value.startsWith(`${scheme}://`) && value.length > scheme.length + 3)
      ? E.right(value)
      : E.left(`a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`);

/** The schemes of a connection string of EventStoreDB, and of KurrentDB, as which it goes on. The first is the client package's. */
const LOG_SERVER_SCHEMES = ['esdb', 'kurrentdb', 'kurrent', 'kdb'] as const;

export const logServerUrl = url(...LOG_SERVER_SCHEMES.flatMap((scheme) => [scheme, `${scheme}+discover`]));

/** The same connection string with the scheme of the client package, which knows no other. */
export const asEsdb = (connectionString: string): string =>
  connectionString.replace(new RegExp(`^(?:${LOG_SERVER_SCHEMES.join('|')})(?=\\+discover:|:)`), 'esdb');

export const origins: Variable<ReadonlyArray<string>> = (value) => {
  const list = value.split(',').map((origin) => origin.trim());
  return list.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin)
    ? E.right(list)
    : E.left('origins like https://app.example.com, separated by commas');
};

/** An address that others are sent to: it has neither credentials nor a query, and is given on without a slash at its end. */
export const publicUrl: Variable<string> = (value) => {
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  const isPlain = parsed !== undefined && parsed.href === parsed.origin + parsed.pathname;
  return isPlain && /^https?:$/.test(parsed.protocol) && !/[?#]/.test(value)
    ? E.right(parsed.href.replace(/\/$/, ''))
    : E.left('an address like https://example.com/records, without credentials or a query');
};

export const secret: Variable<string> = (value) =>
  Buffer.byteLength(value) >= 32 ? E.right(value) : E.left('at least 32 bytes');

/** What a client can send as a bearer token (RFC 6750, section 2.1), long enough not to be guessed. */
export const bearerToken: Variable<string> = (value) =>
  /^[\w.~+/-]+=*$/.test(value) && value.length >= 32
    ? E.right(value)
    : E.left('at least 32 characters of A-Z a-z 0-9 - . _ ~ + /, with = at the end alone');

/** One key a line, the newest first. Empty lines and those that begin with # are for people. */
export const keyList: Variable<ReadonlyArray<string>> = (value) => {
  const lines = value.split('\n').map((line) => line.trim());
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const isValid = keys.length > 0 && new Set(keys).size === keys.length;
  return isValid && keys.every((key) => E.isRight(secret(key)))
    ? E.right(keys)
    : E.left('one key a line, the newest first, each once and of at least 32 bytes');
};

export const pem: Variable<string> = (value) => {
  const unescaped = value.replaceAll('\\n', '\n');
  return unescaped.includes('-----BEGIN') ? E.right(unescaped) : E.left('a public key in PEM form');
};

export const logLevel: Variable<LogLevel> = (value) =>
  LogLevel.is(value) ? E.right(value) : E.left(`one of ${Object.keys(LogLevel.keys).join(', ')}`);
