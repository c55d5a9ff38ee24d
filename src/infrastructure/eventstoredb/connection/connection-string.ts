import { readFileSync } from 'node:fs';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import {
  type ConnectionOptions,
  parseConnectionString,
} from '@eventstore/db-client/dist/Client/parseConnectionString.js';
import { either as E } from 'fp-ts';
import { asEsdb } from '../../../config/variables.js';

export type Endpoint = { readonly address: string; readonly port: number };

/** What a connection string says, with the certificates that it names. */
export type Settings = {
  /** Where to ask for the leader. */
  readonly seeds: ReadonlyArray<Endpoint>;
  /** Whether the leader may be elsewhere, where gossip says. */
  readonly isDiscovered: boolean;
  readonly credentials: ChannelCredentials;
  /** Value of the `authorization` header, if there is a user. */
  readonly authorization: string | undefined;
  readonly connectionName: string;
  /** Milliseconds between pings of a quiet connection, and how long the reply may take. */
  readonly keepAlive: { readonly interval: number; readonly timeout: number };
};

export const nameOf = ({ address, port }: Endpoint): string => `${address}:${port}`;

const DEFAULT_KEEP_ALIVE = 10_000;

const channelCredentials = ({ tls, tlsCAFile, userCertFile, userKeyFile }: ConnectionOptions): ChannelCredentials => {
  if (tls === false) return credentials.createInsecure();
  if ((userCertFile === undefined) !== (userKeyFile === undefined))
    throw new Error('userCertFile and userKeyFile belong together');
  const read = (file: string | undefined): Buffer | null => (file === undefined ? null : readFileSync(file));
  return credentials.createSsl(read(tlsCAFile), read(userKeyFile), read(userCertFile));
};

// also without TLS: KurrentDB's `--disable-tls` keeps its users, and a server without users ignores the header
const authorizationOf = ({ defaultCredentials }: ConnectionOptions): string | undefined =>
  defaultCredentials === undefined
    ? undefined
    : `Basic ${Buffer.from(`${defaultCredentials.username}:${defaultCredentials.password}`).toString('base64')}`;

// -1 means never, as it does to the client; without pings a silent host would never be noticed
const keepAliveOf = (given: number | undefined): number =>
  given === undefined || given < 0 ? DEFAULT_KEEP_ALIVE : given;

// the parser's own message quotes the string, which may hold a password
const faultOf = (error: unknown): Error => {
  const expected = error instanceof Error && 'expected' in error ? String(error.expected) : undefined;
  if (expected !== undefined) return new Error(`the EventStoreDB connection string is not valid: expected ${expected}`);
  return E.toError(error);
};

/**
 * Reads what the EventStoreDB client reads (hosts, user, TLS, CA and user certificates, keep-alive, name), and the schemes
 * of KurrentDB.
 */
export const readConnectionString = (text: string): E.Either<Error, Settings> =>
  E.tryCatch(() => {
    const options = parseConnectionString(asEsdb(text.trim()));
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
