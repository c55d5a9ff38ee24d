import { statSync } from 'node:fs';
import { either as E } from 'fp-ts';
import { type Environment, Reader } from './config/reader.js';
import { readSecretFile } from './config/read-secret-file.js';
import { filesOfOthers, withSecretFiles } from './config/secret-files.js';
import { sharedSecrets } from './config/shared-secrets.js';
import {
  accessRecording,
  type AccessRecording,
  bearerToken,
  collector,
  duration,
  flag,
  integer,
  jwksUri,
  keyList,
  logLevel,
  logServerUrl,
  type LogLevel,
  origins,
  pem,
  period,
  postgresUrl,
  publicUrl,
  s3Endpoint,
  secret,
  text,
  tsaUrl,
} from './config/variables.js';

export type S3Config = {
  readonly endpoint: string;
  readonly bucket: string;
  /** Another one, which checkpoints are put into; undefined: they are in the same one as the files. */
  readonly checkpointBucket?: string | undefined;
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
  /** The file that `databaseUrl` was read from. */
  readonly databaseUrlFile?: string | undefined;
  /** Seconds that opening a connection to Postgres may take; undefined: what each of its uses can wait. */
  readonly databaseConnectTimeout?: number | undefined;
  readonly eventStoreDbUrl: string | undefined;
  readonly s3: S3Config | undefined;
  /** What rows are signed with, so that commands can trust them. */
  readonly snapshotKey: string | undefined;
  /** What links for a while are signed with; undefined: not set. */
  readonly linkKey: string | undefined;
  /** What the `mac` of events is made with, the newest first; undefined: not set. */
  readonly eventKeys: ReadonlyArray<string> | undefined;
  /** Whether the data of records is encrypted at rest, so that it can be erased. */
  readonly erasure: boolean;
  /** What the keys of that are kept under, the newest first; undefined: not set. */
  readonly erasureKeys: ReadonlyArray<string> | undefined;
  /** What checkpoints are signed with, as text; undefined: not set. */
  readonly checkpointKey: string | undefined;
  /** What checkpoints are signed as; undefined: by the name of the key. */
  readonly checkpointOrigin: string | undefined;
  /** Path of the policy that names the witnesses of checkpoints; undefined: there are none. */
  readonly witnessPolicy: string | undefined;
  /** Where checkpoints are given timestamps of others; undefined: nowhere. */
  readonly tsaUrl: string | undefined;
  /** Whether the tree over all events is signed and served. */
  readonly isSealed: boolean;
  readonly jwt: { readonly key: JwtKey; readonly issuer: string | undefined; readonly audience: string | undefined };
  /** What a scraper may send for the metrics, in place of a token that names a caller; undefined: nothing. */
  readonly metricsToken: string | undefined;
  readonly maxUploadBytes: number;
  readonly publicDocumentList: boolean;
  /** Whether auditors are served the events of all entities. */
  readonly auditApi: boolean;
  /** Whether reads of history, of files and exports are recorded, and whether an answer waits for it. */
  readonly accessRecord: AccessRecording;
  readonly corsOrigins: ReadonlyArray<string>;
  /** Where the public reaches the service, without a slash at its end; undefined: links stay relative. */
  readonly publicUrl: string | undefined;
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
  /** What works and should not stay so: said at the start, and by `/readyz`. */
  readonly warnings: ReadonlyArray<string>;
};

const S3_VARIABLES = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'] as const;

const readS3 = (reader: Reader): S3Config | undefined => {
  const endpoint = reader.optional('S3_ENDPOINT', s3Endpoint);
  const bucket = reader.optional('S3_BUCKET', text);
  const checkpointBucket = reader.optional('S3_CHECKPOINT_BUCKET', text);
  const accessKey = reader.optional('S3_ACCESS_KEY', text);
  const secretKey = reader.optional('S3_SECRET_KEY', text);
  const region = reader.optional('S3_REGION', text) ?? 'us-east-1';
  if (![...S3_VARIABLES, 'S3_CHECKPOINT_BUCKET'].some((name) => reader.has(name))) return undefined;
  for (const name of S3_VARIABLES)
    if (!reader.has(name)) reader.faults.push(`${name}: required with the other S3 settings`);
  if (checkpointBucket !== undefined && checkpointBucket === bucket)
    reader.faults.push('S3_CHECKPOINT_BUCKET: expected another bucket than S3_BUCKET');
  if (endpoint === undefined || bucket === undefined || accessKey === undefined || secretKey === undefined)
    return undefined;
  return { endpoint, bucket, checkpointBucket, accessKey, secretKey, region };
};

const JWT_VARIABLES = ['JWT_SECRET', 'JWT_PUBLIC_KEY', 'JWKS_URI'] as const;

const readJwtKey = (reader: Reader, isProduction: boolean): JwtKey => {
  const given = JWT_VARIABLES.filter((name) => reader.has(name));
  if (given.length > 1) reader.faults.push(`${given.join(', ')}: set only one of them`);
  if (given.length === 0 && isProduction)
    reader.faults.push(`${JWT_VARIABLES.join(', ')}: one of them is required when NODE_ENV is production`);
  const key = reader.optional('JWT_SECRET', secret);
  const publicKey = reader.optional('JWT_PUBLIC_KEY', pem);
  const uri = reader.optional('JWKS_URI', jwksUri(isProduction));
  if (key !== undefined) return { _tag: 'Secret', secret: key };
  if (publicKey !== undefined) return { _tag: 'PublicKey', pem: publicKey };
  return uri === undefined ? { _tag: 'Development' } : { _tag: 'Jwks', uri };
};

const warningsOf = (reader: Reader, isProduction: boolean): Config['warnings'] =>
  isProduction && reader.has('JWKS_URI') && !reader.has('JWT_AUDIENCE')
    ? ['JWKS_URI without JWT_AUDIENCE: tokens for other services are accepted']
    : [];

const readSealing = (
  reader: Reader,
  isProduction: boolean,
  signs: boolean,
): Pick<Config, 'checkpointKey' | 'checkpointOrigin' | 'isSealed' | 'witnessPolicy' | 'tsaUrl'> => {
  const isSealed = reader.optional('SEALING', flag) ?? true;
  if (isProduction && isSealed && !reader.has('CHECKPOINT_KEY') && signs)
    reader.faults.push('CHECKPOINT_KEY: required when NODE_ENV is production, unless SEALING is false');
  const checkpointKey = reader.optional('CHECKPOINT_KEY', text);
  const checkpointOrigin = reader.optional('CHECKPOINT_ORIGIN', text);
  const witnessPolicy = reader.optional('WITNESS_POLICY', text);
  return { isSealed, checkpointKey, checkpointOrigin, witnessPolicy, tsaUrl: reader.optional('TSA_URL', tsaUrl) };
};

const readParts = (reader: Reader): Config['parts'] => {
  const apiOnly = reader.optional('API_ONLY', flag) ?? false;
  const projectorOnly = reader.optional('PROJECTOR_ONLY', flag) ?? false;
  if (apiOnly && projectorOnly) reader.faults.push('API_ONLY, PROJECTOR_ONLY: set only one of them');
  if ((apiOnly || projectorOnly) && !reader.has('DATABASE_URL'))
    reader.faults.push('DATABASE_URL: required when API_ONLY or PROJECTOR_ONLY splits the process');
  return { api: !projectorOnly, projector: !apiOnly };
};

const readErasure = (reader: Reader): Pick<Config, 'erasure' | 'erasureKeys'> => {
  const erasure = reader.optional('ERASURE', flag) ?? false;
  if (erasure && reader.has('DATABASE_URL') && !reader.has('ERASURE_KEY'))
    reader.faults.push('ERASURE_KEY: required with DATABASE_URL when ERASURE is true');
  return { erasure, erasureKeys: reader.optional('ERASURE_KEY', keyList) };
};

/** Decodes the whole configuration; the left side names every missing or malformed variable, never a value. */
export const readConfig = (environment: Environment): E.Either<ReadonlyArray<string>, Config> => {
  const reader = new Reader(environment);
  const isProduction = environment['NODE_ENV'] === 'production';
  const common = {
    port: reader.optional('PORT', integer(0, 65535)) ?? 3000,
    host: reader.optional('HOST', text) ?? '127.0.0.1',
    dataDir: reader.optional('DATA_DIR', text) ?? '.data',
    databaseUrl: reader.optional('DATABASE_URL', postgresUrl),
    databaseUrlFile: reader.optional('DATABASE_URL_FILE', text),
    databaseConnectTimeout: reader.optional('DATABASE_CONNECT_TIMEOUT', period),
    eventStoreDbUrl: reader.optional('EVENTSTOREDB_URL', logServerUrl),
    s3: readS3(reader),
    snapshotKey: reader.optional('SNAPSHOT_KEY', secret),
    linkKey: reader.optional('LINK_KEY', secret),
    eventKeys: reader.optional('EVENT_KEY', keyList),
    jwt: {
      key: readJwtKey(reader, isProduction),
      issuer: reader.optional('JWT_ISSUER', text),
      audience: reader.optional('JWT_AUDIENCE', text),
    },
    metricsToken: reader.optional('METRICS_TOKEN', bearerToken),
    maxUploadBytes: reader.optional('MAX_UPLOAD_BYTES', integer(1, 5 * 1024 ** 4)) ?? 100 * 1024 * 1024,
    publicDocumentList: reader.optional('PUBLIC_DOCUMENT_LIST', flag) ?? false,
    auditApi: reader.optional('AUDIT_API', flag) ?? true,
    accessRecord: reader.optional('ACCESS_RECORD', accessRecording) ?? 'on',
    corsOrigins: reader.optional('CORS_ORIGINS', origins) ?? [],
    publicUrl: reader.optional('PUBLIC_URL', publicUrl),
    logLevel: reader.optional('LOG_LEVEL', logLevel) ?? 'info',
    rateLimit: reader.optional('RATE_LIMIT', integer(1, 1_000_000)),
    maxConnections: reader.optional('MAX_CONNECTIONS', integer(16, 100_000)) ?? 1_000,
    maxConnectionsPerAddress: reader.optional('MAX_CONNECTIONS_PER_ADDRESS', integer(1, 100_000)),
    rollbackWindow: reader.optional('ROLLBACK_WINDOW', duration) ?? 86_400,
    verifyPeriod: reader.optional('VERIFY_PERIOD', period) ?? 86_400,
    isTraced: reader.optional('OTEL_EXPORTER_OTLP_ENDPOINT', collector) !== undefined,
    parts: readParts(reader),
    warnings: warningsOf(reader, isProduction),
  };
  reader.faults.push(...sharedSecrets(environment));
  const config: Config = {
    ...common,
    ...readErasure(reader),
    ...readSealing(reader, isProduction, common.parts.projector),
  };
  reader.faults.push(...filesOfOthers(environment, reader.asked));
  return reader.faults.length === 0 ? E.right(config) : E.left(reader.faults);
};

/** The configuration of this process: the only place that reads its environment. */
export const loadConfig = (): E.Either<ReadonlyArray<string>, Config> =>
  E.chain(readConfig)(withSecretFiles(process.env, readSecretFile, statSync));
