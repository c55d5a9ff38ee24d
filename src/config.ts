import { readFileSync } from 'node:fs';
import { either as E } from 'fp-ts';
import * as t from 'io-ts';

/** The process's environment, or a test's. An empty text counts as unset. */
type Environment = Readonly<Record<string, string | undefined>>;

export type S3Config = {
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
};

/** What tokens are verified with; `Development` is a random secret that the service keeps in `DATA_DIR`. */
type JwtKey =
  | { readonly _tag: 'Secret'; readonly secret: string }
  | { readonly _tag: 'PublicKey'; readonly pem: string }
  | { readonly _tag: 'Jwks'; readonly uri: string }
  | { readonly _tag: 'Development' };

export type Config = {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly eventStoreDbUrl: string | undefined;
  readonly s3: S3Config | undefined;
  /** What rows are signed with, so that commands can trust them. */
  readonly snapshotKey: string | undefined;
  /** What the `mac` of events is made with, the newest first; undefined: not set. */
  readonly eventKeys: ReadonlyArray<string> | undefined;
  /** What checkpoints are signed with, as text; undefined: not set. */
  readonly checkpointKey: string | undefined;
  /** What checkpoints are signed as; undefined: by the name of the key. */
  readonly checkpointOrigin: string | undefined;
  /** Whether the tree over all events is signed and served. */
  readonly isSealed: boolean;
  readonly jwt: { readonly key: JwtKey; readonly issuer: string | undefined; readonly audience: string | undefined };
  readonly maxUploadBytes: number;
  readonly publicDocumentList: boolean;
  /** Whether auditors are served the events of all entities. */
  readonly auditApi: boolean;
  readonly corsOrigins: ReadonlyArray<string>;
  readonly logLevel: LogLevel;
  /** Requests a minute for each caller, and for each address without one; undefined: no limit. */
  readonly rateLimit: number | undefined;
  /** Connections of clients at once, of all and (undefined: no limit of its own) of one address. */
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number | undefined;
  /** Seconds for which replaced rows of a read model are kept up to date, so that one can go back to them. */
  readonly rollbackWindow: number;
  /** Seconds in which the whole log is verified once. */
  readonly verifyPeriod: number;
  /** Whether spans go to the collector that `OTEL_EXPORTER_OTLP_ENDPOINT` names. */
  readonly isTraced: boolean;
  readonly parts: { readonly api: boolean; readonly projector: boolean };
};

const LogLevel = t.keyof({ fatal: null, error: null, warn: null, info: null, debug: null, trace: null, silent: null });
export type LogLevel = t.TypeOf<typeof LogLevel>;

/** A variable's decoder: the value, or what was expected of it. */
type Variable<A> = (text: string) => E.Either<string, A>;

const text: Variable<string> = E.right;

const integer =
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
const period: Variable<number> = (value) =>
  E.filterOrElse(
    (seconds: number) => seconds > 0,
    () => 'a time like 90s, 30m, 24h or 7d',
  )(duration(value));

const flag: Variable<boolean> = (value) => {
  if (/^(true|1|yes)$/i.test(value)) return E.right(true);
  return /^(false|0|no)$/i.test(value) ? E.right(false) : E.left('true or false');
};

const url =
  (...schemes: ReadonlyArray<string>): Variable<string> =>
  (value) =>
    schemes.some((scheme) => value.startsWith(`${scheme}://`) && value.length > scheme.length + 3)
      ? E.right(value)
      : E.left(`a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`);

const origins: Variable<ReadonlyArray<string>> = (value) => {
  const list = value.split(',').map((origin) => origin.trim());
  return list.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin)
    ? E.right(list)
    : E.left('origins like https://app.example.com, separated by commas');
};

const secret: Variable<string> = (value) =>
  Buffer.byteLength(value) >= 32 ? E.right(value) : E.left('at least 32 bytes');

/** One key a line, the newest first. Empty lines and those that begin with # are for people. */
export const keyList: Variable<ReadonlyArray<string>> = (value) => {
  const lines = value.split('\n').map((line) => line.trim());
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const isValid = keys.length > 0 && new Set(keys).size === keys.length;
  return isValid && keys.every((key) => E.isRight(secret(key)))
    ? E.right(keys)
    : E.left('one key a line, the newest first, each once and of at least 32 bytes');
};

const pem: Variable<string> = (value) => {
  const unescaped = value.replaceAll('\\n', '\n');
  return unescaped.includes('-----BEGIN') ? E.right(unescaped) : E.left('a public key in PEM form');
};

const logLevel: Variable<LogLevel> = (value) =>
  LogLevel.is(value) ? E.right(value) : E.left(`one of ${Object.keys(LogLevel.keys).join(', ')}`);

/** Reads variables one by one and collects every fault, so that all of them are reported together. */
class Reader {
  readonly faults: Array<string> = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  optional<A>(name: string, variable: Variable<A>): A | undefined {
    const value = this.#environment[name];
    if (value === undefined || value === '') return undefined;
    const decoded = variable(value);
    if (E.isRight(decoded)) return decoded.right;
    this.faults.push(`${name}: expected ${decoded.left}`);
    return undefined;
  }

  has(name: string): boolean {
    return (this.#environment[name] ?? '') !== '';
  }
}

const S3_VARIABLES = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'] as const;

const readS3 = (reader: Reader): S3Config | undefined => {
  const endpoint = reader.optional('S3_ENDPOINT', url('http', 'https'));
  const bucket = reader.optional('S3_BUCKET', text);
  const accessKey = reader.optional('S3_ACCESS_KEY', text);
  const secretKey = reader.optional('S3_SECRET_KEY', text);
  const region = reader.optional('S3_REGION', text) ?? 'us-east-1';
  if (!S3_VARIABLES.some((name) => reader.has(name))) return undefined;
  for (const name of S3_VARIABLES)
    if (!reader.has(name)) reader.faults.push(`${name}: required with the other S3 settings`);
  if (endpoint === undefined || bucket === undefined || accessKey === undefined || secretKey === undefined)
    return undefined;
  return { endpoint, bucket, accessKey, secretKey, region };
};

const JWT_VARIABLES = ['JWT_SECRET', 'JWT_PUBLIC_KEY', 'JWKS_URI'] as const;

const readJwtKey = (reader: Reader, isProduction: boolean): JwtKey => {
  const given = JWT_VARIABLES.filter((name) => reader.has(name));
  if (given.length > 1) reader.faults.push(`${given.join(', ')}: set only one of them`);
  if (given.length === 0 && isProduction)
    reader.faults.push(`${JWT_VARIABLES.join(', ')}: one of them is required when NODE_ENV is production`);
  const key = reader.optional('JWT_SECRET', secret);
  const publicKey = reader.optional('JWT_PUBLIC_KEY', pem);
  const uri = reader.optional('JWKS_URI', url('https', 'http'));
  if (key !== undefined) return { _tag: 'Secret', secret: key };
  if (publicKey !== undefined) return { _tag: 'PublicKey', pem: publicKey };
  return uri === undefined ? { _tag: 'Development' } : { _tag: 'Jwks', uri };
};

const readSealing = (
  reader: Reader,
  isProduction: boolean,
  signs: boolean,
): Pick<Config, 'checkpointKey' | 'checkpointOrigin' | 'isSealed'> => {
  const isSealed = reader.optional('SEALING', flag) ?? true;
  if (isProduction && isSealed && !reader.has('CHECKPOINT_KEY') && signs)
    reader.faults.push('CHECKPOINT_KEY: required when NODE_ENV is production, unless SEALING is false');
  const checkpointKey = reader.optional('CHECKPOINT_KEY', text);
  return { isSealed, checkpointKey, checkpointOrigin: reader.optional('CHECKPOINT_ORIGIN', text) };
};

const readParts = (reader: Reader): Config['parts'] => {
  const apiOnly = reader.optional('API_ONLY', flag) ?? false;
  const projectorOnly = reader.optional('PROJECTOR_ONLY', flag) ?? false;
  if (apiOnly && projectorOnly) reader.faults.push('API_ONLY, PROJECTOR_ONLY: set only one of them');
  if ((apiOnly || projectorOnly) && !reader.has('DATABASE_URL'))
    reader.faults.push('DATABASE_URL: required when API_ONLY or PROJECTOR_ONLY splits the process');
  return { api: !projectorOnly, projector: !apiOnly };
};

/** Decodes the whole configuration; the left side names every missing or malformed variable, never a value. */
export const readConfig = (environment: Environment): E.Either<ReadonlyArray<string>, Config> => {
  const reader = new Reader(environment);
  const isProduction = environment['NODE_ENV'] === 'production';
  const common = {
    port: reader.optional('PORT', integer(0, 65535)) ?? 3000,
    host: reader.optional('HOST', text) ?? '127.0.0.1',
    dataDir: reader.optional('DATA_DIR', text) ?? '.data',
    databaseUrl: reader.optional('DATABASE_URL', url('postgres', 'postgresql')),
    eventStoreDbUrl: reader.optional('EVENTSTOREDB_URL', url('esdb', 'esdb+discover', 'kurrentdb')),
    s3: readS3(reader),
    snapshotKey: reader.optional('SNAPSHOT_KEY', secret),
    eventKeys: reader.optional('EVENT_KEY', keyList),
    jwt: {
      key: readJwtKey(reader, isProduction),
      issuer: reader.optional('JWT_ISSUER', text),
      audience: reader.optional('JWT_AUDIENCE', text),
    },
    maxUploadBytes: reader.optional('MAX_UPLOAD_BYTES', integer(1, 5 * 1024 ** 4)) ?? 100 * 1024 * 1024,
    publicDocumentList: reader.optional('PUBLIC_DOCUMENT_LIST', flag) ?? false,
    auditApi: reader.optional('AUDIT_API', flag) ?? true,
    corsOrigins: reader.optional('CORS_ORIGINS', origins) ?? [],
    logLevel: reader.optional('LOG_LEVEL', logLevel) ?? 'info',
    rateLimit: reader.optional('RATE_LIMIT', integer(1, 1_000_000)),
    maxConnections: reader.optional('MAX_CONNECTIONS', integer(16, 100_000)) ?? 1_000,
    maxConnectionsPerAddress: reader.optional('MAX_CONNECTIONS_PER_ADDRESS', integer(1, 100_000)),
    rollbackWindow: reader.optional('ROLLBACK_WINDOW', duration) ?? 86_400,
    verifyPeriod: reader.optional('VERIFY_PERIOD', period) ?? 86_400,
    isTraced: reader.optional('OTEL_EXPORTER_OTLP_ENDPOINT', url('http', 'https')) !== undefined,
    parts: readParts(reader),
  };
  const config: Config = { ...common, ...readSealing(reader, isProduction, common.parts.projector) };
  return reader.faults.length === 0 ? E.right(config) : E.left(reader.faults);
};

const SECRETS = ['DATABASE_URL', 'EVENTSTOREDB_URL', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'JWT_SECRET'].concat([
  'JWT_PUBLIC_KEY',
  'SNAPSHOT_KEY',
  'EVENT_KEY',
  'CHECKPOINT_KEY',
]);

/**
 * Reads secrets from files where `<NAME>_FILE` names one, as container secrets do, so that they need not stand in the
 * environment. Left: the files that cannot be read, and those that are empty: a setting whose file was forgotten is not one
 * that was left out.
 */
export const withSecretFiles = (
  environment: Environment,
  readFile: (file: string) => string,
): E.Either<ReadonlyArray<string>, Environment> => {
  const faults: Array<string> = [];
  const resolved: Record<string, string | undefined> = { ...environment };
  for (const name of SECRETS) {
    const file = environment[`${name}_FILE`];
    if (file === undefined || file === '') continue;
    try {
      const value = readFile(file).trim();
      if (value === '') faults.push(`${name}_FILE: the file it names is empty`);
      resolved[name] = value;
    } catch {
      faults.push(`${name}_FILE: the file it names cannot be read`);
    }
  }
  return faults.length === 0 ? E.right(resolved) : E.left(faults);
};

/** The configuration of this process: the only place that reads its environment. */
export const loadConfig = (): E.Either<ReadonlyArray<string>, Config> =>
  E.chain(readConfig)(withSecretFiles(process.env, (file) => readFileSync(file, 'utf8')));
