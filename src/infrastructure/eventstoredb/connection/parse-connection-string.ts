import { asEsdb } from '../../../config/variables.js';

export type Endpoint = { readonly address: string; readonly port: number };

/** The parts of a connection string, decoded. Every option is one that is known, by its name as the documentation writes it. */
export type ConnectionString = {
  readonly isDiscovered: boolean;
  readonly hosts: ReadonlyArray<Endpoint>;
  readonly user: { readonly name: string; readonly password: string } | undefined;
  readonly options: ReadonlyMap<string, string>;
};

const DEFAULT_PORT = 2113;

const isFlag = (value: string): boolean => /^(true|false)$/.test(value);
const isInteger = (value: string): boolean => /^-?\d{1,15}$/.test(value);
const isPreference = (value: string): boolean => /^(leader|follower|read[_-]?only[_-]?replica|random)$/i.test(value);
const isAny = (): boolean => true;

/** What a client of EventStoreDB or KurrentDB knows, and what its value may be. */
const OPTIONS: Readonly<Record<string, readonly [isValid: (value: string) => boolean, expected: string]>> = {
  tls: [isFlag, 'true or false'],
  tlsVerifyCert: [isFlag, 'true or false'],
  throwOnAppendFailure: [isFlag, 'true or false'],
  dnsDiscover: [isFlag, 'true or false'],
  maxDiscoverAttempts: [isInteger, 'a whole number'],
  defaultDeadline: [isInteger, 'a whole number'],
  discoveryInterval: [isInteger, 'a whole number'],
  gossipTimeout: [isInteger, 'a whole number'],
  keepAliveInterval: [isInteger, 'a whole number'],
  keepAliveTimeout: [isInteger, 'a whole number'],
  nodePreference: [isPreference, 'leader, follower, readOnlyReplica or random'],
  connectionName: [isAny, 'a name'],
  tlsCAFile: [isAny, 'a file'],
  userCertFile: [isAny, 'a file'],
  userKeyFile: [isAny, 'a file'],
};

const ENCODE = 'percent-encode each of : / ? # @ % & in a user, a password and the value of an option';

/** Never quotes the string: it may hold a password, and what looks like its host or option may be a part of one. */
const refuse = (why: string): never => {
  throw new Error(`the EventStoreDB connection string is not valid: ${why}`);
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse(ENCODE);
  }
};

const userOf = (text: string | undefined): ConnectionString['user'] => {
  if (text === undefined) return undefined;
  const [, name, password] = /^([^:]+):([^:]+)$/.exec(text) ?? [];
  if (name === undefined || password === undefined) return refuse(`expected username:password before @; ${ENCODE}`);
  return { name: decoded(name), password: decoded(password) };
};

const hostOf = (text: string): Endpoint => {
  const [, address, port = String(DEFAULT_PORT)] = /^([\w.-]+)(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  if (address === undefined || Number(port) > 65_535)
    return refuse('expected hosts like log:2113, separated by commas');
  return { address, port: Number(port) };
};

const flat = (name: string): string => name.trim().toLowerCase().replaceAll(/[_-]/g, '');

const optionsOf = (text: string | undefined): ReadonlyMap<string, string> => {
  const options = new Map<string, string>();
  for (const part of text === undefined ? [] : text.split('&')) {
    const [, given, value] = /^([^=]+)=([^?]+)$/.exec(part) ?? [];
    if (given === undefined || value === undefined)
      return refuse('expected options like ?tls=false&connectionName=one');
    const name = Object.keys(OPTIONS).find((known) => flat(known) === flat(given));
    const [isValid, expected] = OPTIONS[name ?? ''] ?? [];
    if (name === undefined || isValid === undefined)
      return refuse(
        `it has an unknown option${/^[a-z]+$/i.test(given) ? ` ${given}` : ''}; known are ${Object.keys(OPTIONS).join(', ')}`,
      );
    if (options.has(name)) return refuse(`it has the option ${name} twice`);
    if (!isValid(value.trim())) return refuse(`expected ${String(expected)} as ${name}`);
    options.set(name, decoded(value.trim()));
  }
  return options;
};

/**
 * Reads a connection string as the client package does, which cannot be used for it: it prints the string, password
 * included, where it has an option that the package ignores. Throws an error that never quotes it.
 */
export const parse = (text: string): ConnectionString => {
  const [, discover, rest = ''] = /^esdb(\+discover)?:\/\/(.*)$/.exec(asEsdb(text.trim()).replace(/\/+$/, '')) ?? [
    refuse('expected esdb:// or esdb+discover://, or kurrentdb:// or kurrentdb+discover://'),
  ];
  const parts = /^(?:([^@/?#]*)@)?([^@/?#]*)\/?(?:\?([^@#]*))?$/.exec(rest);
  if (parts === null) return refuse(ENCODE);
  const [, user, hosts = '', options] = parts;
  return {
    isDiscovered: discover !== undefined,
    user: userOf(user),
    hosts: hosts.split(',').map(hostOf),
    options: optionsOf(options),
  };
};
