import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { readConnectionString } from '../../../src/infrastructure/eventstoredb/connection/connection-string.js';
import { openEventStoreDb } from '../../../src/infrastructure/eventstoredb/event-store.js';

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

  const faults: ReadonlyArray<readonly [string, string]> = [
    ['http://log', 'the EventStoreDB connection string is not valid: expected esdb:// or esdb+discover://'],
    ['esdb://ops:secret@', 'the EventStoreDB connection string is not valid: expected host'],
    ['esdb://log?tls=perhaps', 'the EventStoreDB connection string is not valid: expected true or false'],
    ['esdb://log?userCertFile=/a', 'userCertFile and userKeyFile belong together'],
  ];
  for (const [text, message] of faults)
    it(`is not quoted when it is rejected: ${text}`, () => {
      expect(settingsIn(text)).to.equal(message);
    });

  it('fails with the name of a certificate file that is missing', () => {
    expect(settingsIn('esdb://log?tlsCAFile=/no/such/ca.pem')).to.match(/ENOENT.*\/no\/such\/ca\.pem/);
  });

  it('is the only reason why a store is not made', async () => {
    const rejected = openEventStoreDb({ connectionString: 'nonsense', categories: [] });
    expect(E.isLeft(rejected) && rejected.left._tag).to.equal('StoreUnavailable');
    const unreachable = openEventStoreDb({ connectionString: 'esdb://127.0.0.1:1?tls=false', categories: [] });
    if (E.isLeft(unreachable)) throw unreachable.left;
    await unreachable.right.close();
  });
});
