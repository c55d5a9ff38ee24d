import { readFileSync } from 'node:fs';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import { either as E } from 'fp-ts';
import { errorCode } from '../../error-code.js';
import { type ConnectionString, type Endpoint, parse } from './parse-connection-string.js';

export type { Endpoint } from './parse-connection-string.js';

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

type Options = ConnectionString['options'];

const readFile = (options: Options, name: string): Buffer | null => {
  const file = options.get(name);
  const read = E.tryCatch(() => (file === undefined ? null : readFileSync(file)), errorCode);
  // without its cause, whose message has the path: also that is a part of a setting
  if (E.isLeft(read))
    throw new Error(`${name}: the file that the connection string names cannot be read (${read.left})`);
  return read.right;
};

const channelCredentials = (options: Options): ChannelCredentials => {
  if (options.get('tls') === 'false') return credentials.createInsecure();
  if (options.get('tlsVerifyCert') === 'false')
    throw new Error(
      'tlsVerifyCert=false is not possible: certificates are always verified. Name their CA as tlsCAFile.',
    );
  if (options.has('userCertFile') !== options.has('userKeyFile'))
    throw new Error('userCertFile and userKeyFile belong together');
  const [ca, key, certificate] = ['tlsCAFile', 'userKeyFile', 'userCertFile'].map((name) => readFile(options, name));
  return credentials.createSsl(ca, key, certificate);
};

// also without TLS: KurrentDB's `--disable-tls` keeps its users, and a server without users ignores the header
const authorizationOf = (user: ConnectionString['user']): string | undefined =>
  user === undefined ? undefined : `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}`;

// -1 means never, as it does to the client; without pings a silent host would never be noticed
const keepAliveOf = (given = '-1'): number => (Number(given) < 0 ? DEFAULT_KEEP_ALIVE : Number(given));

/**
 * Reads what the EventStoreDB client reads (hosts, user, TLS, CA and user certificates, keep-alive, name), and the schemes
 * of KurrentDB.
 */
export const readConnectionString = (text: string): E.Either<Error, Settings> =>
  E.tryCatch(() => {
    const { hosts, user, isDiscovered, options } = parse(text);
    return {
      seeds: hosts,
      isDiscovered: isDiscovered || options.get('dnsDiscover') === 'true' || hosts.length > 1,
      credentials: channelCredentials(options),
      authorization: authorizationOf(user),
      connectionName: options.get('connectionName') ?? 'business-document-service',
      keepAlive: {
        interval: keepAliveOf(options.get('keepAliveInterval')),
        timeout: keepAliveOf(options.get('keepAliveTimeout')),
      },
    };
  }, E.toError);
