import { either as E } from 'fp-ts';
import * as t from 'io-ts';

const LogLevel = t.keyof({ fatal: null, error: null, warn: null, info: null, debug: null, trace: null, silent: null });
export type LogLevel = t.TypeOf<typeof LogLevel>;

/** Whether reads are recorded, and whether their answers wait for it. */
const AccessRecording = t.keyof({ on: null, required: null, off: null });
export type AccessRecording = t.TypeOf<typeof AccessRecording>;

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

const url =
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

const parsed = (value: string): URL | undefined => (URL.canParse(value) ? new URL(value) : undefined);

/** An address of HTTP without credentials, query or fragment. */
const plainAddress = (value: string): URL | undefined => {
  const address = parsed(value);
  const isPlain = address !== undefined && address.href === address.origin + address.pathname;
  return isPlain && /^https?:$/.test(address.protocol) && !/[?#]/.test(value) ? address : undefined;
};

/** An address that others are sent to, given on without a slash at its end. */
export const publicUrl: Variable<string> = (value) => {
  const address = plainAddress(value);
  return address !== undefined
    ? E.right(address.href.replace(/\/$/, ''))
    : E.left('an address like https://example.com/records, without credentials or a query');
};

/** A server of S3. The client takes its host and port alone, and messages name it. */
export const s3Endpoint: Variable<string> = (value) =>
  plainAddress(value)?.pathname === '/'
    ? E.right(value)
    : E.left('an address like https://files.example.com:9000, without credentials, path or query');

/** A collector of spans; the exporter would leave out credentials without a word. */
export const collector: Variable<string> = (value) =>
  plainAddress(value) !== undefined
    ? E.right(value)
    : E.left('an address like http://collector:4318, without credentials (OTEL_EXPORTER_OTLP_HEADERS) or a query');

/** What of a connection string has an effect; any other parameter the driver would leave out without a word. */
const POSTGRES_PARAMETERS = new Set(
  ['host', 'port', 'user', 'password', 'ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation']
    .concat(['uselibpqcompat', 'connect_timeout', 'application_name', 'fallback_application_name', 'options'])
    .concat(['client_encoding', 'replication', 'statement_timeout', 'lock_timeout', 'query_timeout'])
    .concat(['idle_in_transaction_session_timeout']),
);

const POSTGRES = 'a URL that begins with postgres:// or postgresql://';
const ENCODE = 'with each of : / ? # @ % in its user and password percent-encoded';

/**
 * A connection string of Postgres. A password that is not encoded must not be taken for a part of the host: messages name
 * the host.
 */
export const postgresUrl: Variable<string> = (value) => {
  if (E.isLeft(url('postgres', 'postgresql')(value))) return E.left(POSTGRES);
  // the driver knows the form `user@/database`, too
  const address = parsed(value.replace('@/', '@host/'));
  const isCut = address?.username === '' && address.password === '' && /@/.test(value);
  if (address === undefined || address.hash !== '' || isCut) return E.left(`${POSTGRES}, ${ENCODE}`);
  return [...address.searchParams.keys()].every((name) => POSTGRES_PARAMETERS.has(name))
    ? E.right(value)
    : E.left(`${POSTGRES}, with no other parameters than ${[...POSTGRES_PARAMETERS].join(', ')}`);
};

const isDecodable = (text: string): boolean => E.isRight(E.tryCatch(() => decodeURIComponent(text), E.toError));

const isLoopback = (hostname: string): boolean => /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

/** Where keys are published: in production, nobody between may replace them. */
export const jwksUri =
  (isProduction: boolean): Variable<string> =>
  (value) => {
    const address = parsed(value);
    const isUsable =
      address !== undefined &&
      /^https?:$/.test(address.protocol) &&
      !value.includes('#') &&
      isDecodable(address.username) &&
      isDecodable(address.password);
    if (!isUsable) return E.left('an address like https://issuer.example/keys, without a fragment');
    return isProduction && address.protocol === 'http:' && !isLoopback(address.hostname)
      ? E.left('https:// when NODE_ENV is production, unless the host is this one (localhost)')
      : E.right(value);
  };

/** Where a time stamping authority is asked. Plain HTTP is usual: the answer is signed. */
export const tsaUrl: Variable<string> = (value) => {
  const address = parsed(value);
  const isUsable =
    address !== undefined &&
    /^https?:$/.test(address.protocol) &&
    `${address.username}${address.password}` === '' &&
    !value.includes('#');
  return isUsable
    ? E.right(value)
    : E.left('an address like http://tsa.example/tsr, without credentials or a fragment');
};

/** Whether a text, however long, is known to everybody or guessed at once. */
const isNoSecret = (value: string): boolean => value.includes('-----BEGIN ') || new Set(value).size === 1;

export const secret: Variable<string> = (value) => {
  if (Buffer.byteLength(value) < 32) return E.left('at least 32 bytes');
  return isNoSecret(value) ? E.left('a random text, not a key in PEM form or one repeated character') : E.right(value);
};

/** What a client can send as a bearer token (RFC 6750, section 2.1), long enough not to be guessed. */
export const bearerToken: Variable<string> = (value) =>
  /^[\w.~+/-]+=*$/.test(value) && value.length >= 32 && !isNoSecret(value)
    ? E.right(value)
    : E.left(
        'at least 32 characters of A-Z a-z 0-9 - . _ ~ + /, with = at the end alone, and not one repeated character',
      );

/** The lines of a list of keys, without those that are empty or begin with `#`. */
export const linesOf = (list: string): ReadonlyArray<string> =>
  list
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

/** One key a line, the newest first. Empty lines and those that begin with # are for people. */
export const keyList: Variable<ReadonlyArray<string>> = (value) => {
  const keys = linesOf(value);
  const isValid = keys.length > 0 && new Set(keys).size === keys.length;
  return isValid && keys.every((key) => E.isRight(secret(key)))
    ? E.right(keys)
    : E.left('one key a line, the newest first, each once and of at least 32 bytes');
};

export const pem: Variable<string> = (value) => {
  const unescaped = value.replaceAll('\\n', '\n');
  return unescaped.includes('-----BEGIN') && !unescaped.includes('PRIVATE KEY-----')
    ? E.right(unescaped)
    : E.left('a public key in PEM form, not a private one');
};

export const logLevel: Variable<LogLevel> = (value) =>
  LogLevel.is(value) ? E.right(value) : E.left(`one of ${Object.keys(LogLevel.keys).join(', ')}`);

export const accessRecording: Variable<AccessRecording> = (value) =>
  AccessRecording.is(value) ? E.right(value) : E.left(`one of ${Object.keys(AccessRecording.keys).join(', ')}`);
