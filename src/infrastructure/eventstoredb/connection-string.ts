import { readFileSync } from 'node:fs';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import {
  type ConnectionOptions,
  parseConnectionString,
} from '@eventstore/db-client/dist/Client/parseConnectionString.js';
import { either as E } from 'fp-ts';

export type Endpoint = { readonly address: string; readonly port: number };

/** A connection string, understood, with its certificates read. */
export type Settings = {
  /** Where to ask for the leader. */
  readonly seeds: ReadonlyArray<Endpoint>;
  /** The seeds are only where to ask: the leader is where gossip says. */
  readonly isDiscovered: boolean;
  readonly credentials: ChannelCredentials;
  /** Value of the `authorization` header, if there is a user. */
  readonly authorization: string | undefined;
  readonly connectionName: string;
  /** Milliseconds between pings of a quiet connection, and how long an answer may take. */
  readonly keepAlive: { readonly interval: number; readonly timeout: number };
};

export const nameOf = ({ address, port }: Endpoint): string => `${address}:${port}`;

const KEEP_ALIVE = 10_000;

const channelCredentials = ({ tls, tlsCAFile, userCertFile, userKeyFile }: ConnectionOptions): ChannelCredentials => {
  if (tls === false) return credentials.createInsecure();
  if ((userCertFile === undefined) !== (userKeyFile === undefined))
    throw new Error('userCertFile and userKeyFile belong together');
  const read = (file: string | undefined): Buffer | null => (file === undefined ? null : readFileSync(file));
  return credentials.createSsl(read(tlsCAFile), read(userKeyFile), read(userCertFile));
};

// in clear text a password would travel to whoever listens, and an insecure server has no users
const authorizationOf = ({ tls, defaultCredentials }: ConnectionOptions): string | undefined =>
  tls === false || defaultCredentials === undefined
    ? undefined
    : `Basic ${Buffer.from(`${defaultCredentials.username}:${defaultCredentials.password}`).toString('base64')}`;

// -1 means never, to the client too; without pings a silent host is never noticed
const keepAliveOf = (given: number | undefined): number => (given === undefined || given < 0 ? KEEP_ALIVE : given);

// the parser's own message quotes the string, which may hold a password
const faultOf = (error: unknown): Error => {
  const expected = error instanceof Error && 'expected' in error ? String(error.expected) : undefined;
  if (expected !== undefined) return new Error(`the EventStoreDB connection string is not valid: expected ${expected}`);
  return error instanceof Error ? error : new Error(String(error));
};

/**
 * Understands what the EventStoreDB client understands (hosts, user, TLS, CA and user certificates, keep-alive,
 * name), and `kurrentdb://` for `esdb://`.
 */
export const readConnectionString = (text: string): E.Either<Error, Settings> =>
  E.tryCatch(() => {
    const options = parseConnectionString(text.trim().replace(/^kurrentdb(?=\+discover:|:)/, 'esdb'));
    return {
      seeds: options.hosts,
      isDiscovered: options.dnsDiscover || options.hosts.length > 1,
      credentials: channelCredentials(options),
      authorization: authorizationOf(options),
      connectionName: options.connectionName ?? 'business-document-service',
      keepAlive: {
        interval: keepAliveOf(options.keepAliveInterval),
        timeout: keepAliveOf(options.keepAliveTimeout),
      },
    };
  }, faultOf);
