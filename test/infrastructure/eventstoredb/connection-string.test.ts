import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { readConnectionString } from '../../../src/infrastructure/eventstoredb/connection/connection-string.js';
import { openEventStoreDb } from '../../../src/infrastructure/eventstoredb/event-store.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const settingsIn = (text: string): unknown => {
  const settings = readConnectionString(text);
  if (E.isLeft(settings)) return settings.left.message;
  const { credentials, ...rest } = settings.right;
  return { ...rest, isSecure: credentials._isSecure() };
};

const plain = {
  seeds: [{ address: 'log', port: 2113 }],
  isDiscovered: false,
  authorization: undefined,
  connectionName: 'business-document-service',
  keepAlive: { interval: 10_000, timeout: 10_000 },
  isSecure: true,
};

describe('the EventStoreDB connection string', () => {
  const schemes = ['esdb', 'kurrentdb', 'kurrent', 'kdb'];
  const cases: ReadonlyArray<readonly [string, unknown]> = [
    ...schemes.map((scheme) => [`${scheme}://log`, plain] as const),
    ...schemes.map((scheme) => [`${scheme}+discover://log`, { ...plain, isDiscovered: true }] as const),
    ['esdb://log:1113?tls=false', { ...plain, seeds: [{ address: 'log', port: 1113 }], isSecure: false }],
    [
      'esdb://a:1,b:2,c?tls=false',
      {
        ...plain,
        seeds: [
          { address: 'a', port: 1 },
          { address: 'b', port: 2 },
          { address: 'c', port: 2113 },
        ],
        isDiscovered: true,
        isSecure: false,
      },
    ],
    [
      'esdb://ops:p%3Aw@log?connectionName=one&keepAliveInterval=12000&keepAliveTimeout=2000',
      {
        ...plain,
        authorization: `Basic ${Buffer.from('ops:p:w').toString('base64')}`,
        connectionName: 'one',
        keepAlive: { interval: 12_000, timeout: 2_000 },
      },
    ],
    [
      'esdb://ops:pw@log?tls=false',
      { ...plain, authorization: `Basic ${Buffer.from('ops:pw').toString('base64')}`, isSecure: false },
    ],
    ['esdb://log?keepAliveInterval=-1&keepAliveTimeout=-1', plain],
  ];
  for (const [text, expected] of cases)
    it(`may be ${text}`, () => {
      expect(settingsIn(text)).to.deep.equal(expected);
    });

  const invalid = (why: string): string => `the EventStoreDB connection string is not valid: ${why}`;
  const encode = 'percent-encode each of : / ? # @ % & in a user, a password and the value of an option';
  const userExpected = `expected username:password before @; ${encode}`;
  const hostsExpected = 'expected hosts like log:2113, separated by commas';
  const known =
    'known are tls, tlsVerifyCert, throwOnAppendFailure, dnsDiscover, maxDiscoverAttempts, defaultDeadline, discoveryInterval, gossipTimeout, keepAliveInterval, keepAliveTimeout, nodePreference, connectionName, tlsCAFile, userCertFile, userKeyFile';
  const faults: ReadonlyArray<readonly [string, string]> = [
    [
      'http://ops:planted@log',
      invalid('expected esdb:// or esdb+discover://, or kurrentdb:// or kurrentdb+discover://'),
    ],
    ['esdb://ops:planted@', invalid(hostsExpected)],
    ['esdb://ops:planted@log:70000', invalid(hostsExpected)],
    ['esdb://ops:planted@log:2113:1', invalid(hostsExpected)],
    ['esdb://ops:planted:word@log', invalid(userExpected)],
    ['esdb://planted@log', invalid(userExpected)],
    ['esdb://:planted@log', invalid(userExpected)],
    ['esdb://ops:100%planted@log', invalid(encode)],
    ['esdb://ops:planted@planted@log', invalid(encode)],
    ['esdb://ops:1?planted=1@log', invalid(encode)],
    ['esdb://ops:1/planted@log', invalid(encode)],
    ['esdb://ops:1#planted@log', invalid(encode)],
    ['esdb://ops:planted@log?tls=perhaps', invalid('expected true or false as tls')],
    ['esdb://ops:planted@log?keepAliveTimeout=planted', invalid('expected a whole number as keepAliveTimeout')],
    ['esdb://ops:planted@log?tls', invalid('expected options like ?tls=false&connectionName=one')],
    ['esdb://ops:planted@log?tls=false&tsl=true', invalid(`it has an unknown option tsl; ${known}`)],
    ['esdb://ops:planted@log?planted1=1', invalid(`it has an unknown option; ${known}`)],
    ['esdb://ops:planted@log?tls=true&TLS=false', invalid('it has the option tls twice')],
    [
      'esdb://ops:planted@log?tlsVerifyCert=false',
      'tlsVerifyCert=false is not possible: certificates are always verified. Name their CA as tlsCAFile.',
    ],
    ['esdb://ops:planted@log?userCertFile=/a', 'userCertFile and userKeyFile belong together'],
    [
      'esdb://ops:planted@log?tlsCAFile=/no/such/planted.pem',
      'tlsCAFile: the file that the connection string names cannot be read (ENOENT)',
    ],
  ];
  for (const [text, message] of faults)
    it(`is not quoted when it is rejected: ${text}`, () => {
      expect(settingsIn(text)).to.equal(message);
    });

  it('may have options of the client that this adapter has no use for', () => {
    const unused = 'tls=false&tlsVerifyCert=false&node_preference=Leader&maxDiscoverAttempts=3&defaultDeadline=100';
    expect(settingsIn(`esdb://log/?${unused}`)).to.deep.equal({ ...plain, isSecure: false });
  });

  it('is the only reason why a store is not made', async () => {
    const rejected = openEventStoreDb({ runtime: systemRuntime, connectionString: 'nonsense', categories: [] });
    expect(E.isLeft(rejected) && rejected.left._tag).to.equal('StoreUnavailable');
    const unreachable = openEventStoreDb({
      runtime: systemRuntime,
      connectionString: 'esdb://127.0.0.1:1?tls=false',
      categories: [],
    });
    if (E.isLeft(unreachable)) throw unreachable.left;
    await unreachable.right.close();
  });
});
