import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { readConfig } from '../src/config.js';

const secret = 'a secret of at least thirty-two bytes';

describe('the configuration refuses', () => {
  const faultsOf = (environment: Readonly<Record<string, string>>) =>
    E.fold(
      (faults: ReadonlyArray<string>) => faults,
      () => [],
    )(readConfig(environment));
  const pemOf = (kind: string) => `-----BEGIN ${kind} KEY-----\nMIIBplanted\n-----END ${kind} KEY-----`;
  const noSecret = 'expected a random text, not a key in PEM form or one repeated character';
  const noKeySet = 'JWKS_URI: expected an address like https://issuer.example/keys, without a fragment';
  const different = 'expected different secrets, because one secret is for one purpose';
  const refused: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, string]> = [
    ['a key in PEM form as secret', { JWT_SECRET: pemOf('PUBLIC') }, `JWT_SECRET: ${noSecret}`],
    ['one repeated character as secret', { JWT_SECRET: 'p'.repeat(64) }, `JWT_SECRET: ${noSecret}`],
    ['one repeated character as key of links', { LINK_KEY: '0'.repeat(64) }, `LINK_KEY: ${noSecret}`],
    ['one repeated character as key of rows', { SNAPSHOT_KEY: '0'.repeat(64) }, `SNAPSHOT_KEY: ${noSecret}`],
    [
      'a private key as public key',
      { JWT_PUBLIC_KEY: pemOf('EC PRIVATE') },
      'JWT_PUBLIC_KEY: expected a public key in PEM form, not a private one',
    ],
    ['a key set that is no address', { JWKS_URI: 'https://planted planted/' }, noKeySet],
    ['a key set with a fragment', { JWKS_URI: 'https://issuer.example/keys#planted' }, noKeySet],
    ['a key set whose password is not decoded', { JWKS_URI: 'https://a:planted%@issuer.example/keys' }, noKeySet],
    [
      'one secret for tokens and for an earlier key of events',
      { JWT_SECRET: secret, EVENT_KEY: `another ${secret}\n ${secret} ` },
      `JWT_SECRET, EVENT_KEY: ${different}`,
    ],
    [
      'one secret for rows and as password of the database',
      { SNAPSHOT_KEY: secret, DATABASE_URL: `postgres://app:${encodeURIComponent(secret)}@db/app` },
      `SNAPSHOT_KEY, DATABASE_URL: ${different}`,
    ],
    [
      'a bucket of checkpoints that is the one of the files',
      {
        ...{ S3_ENDPOINT: 'http://files:9000', S3_BUCKET: 'planted', S3_CHECKPOINT_BUCKET: 'planted' },
        ...{ S3_ACCESS_KEY: 'key', S3_SECRET_KEY: 'secret' },
      },
      'S3_CHECKPOINT_BUCKET: expected another bucket than S3_BUCKET',
    ],
  ];
  const asFile = 'this setting is not read from a file; set';
  for (const name of [
    'PORT',
    'DATA_DIR',
    'S3_ENDPOINT',
    'S3_CHECKPOINT_BUCKET',
    'JWT_ISSUER',
    'CHECKPOINT_ORIGIN',
    'API_ONLY',
  ])
    it(`a file for ${name}, which would be left out without a word`, () => {
      expect(faultsOf({ [`${name}_FILE`]: '/run/secrets/planted' })).to.deep.equal([`${name}_FILE: ${asFile} ${name}`]);
      expect(faultsOf({ [`${name}_FILE`]: '' })).to.deep.equal([]);
    });

  for (const [what, environment, fault] of refused)
    it(what, () => {
      expect(faultsOf(environment)).to.deep.equal([fault]);
    });

  it('a bucket of checkpoints where there is no S3 for the files', () => {
    expect(faultsOf({ S3_CHECKPOINT_BUCKET: 'planted' })).to.deep.equal(
      ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'].map(
        (name) => `${name}: required with the other S3 settings`,
      ),
    );
  });

  it('demands in production that keys are fetched over TLS, unless they are on this machine', () => {
    const faultsAt = (uri: string) =>
      faultsOf({ NODE_ENV: 'production', SEALING: 'false', JWKS_URI: uri, JWT_AUDIENCE: 'service' });
    const fault = 'JWKS_URI: expected https:// when NODE_ENV is production, unless the host is this one (localhost)';
    for (const host of ['issuer.example', '10.0.0.1', 'localhost.example', '127.0.0.1.example', '[::2]'])
      expect(faultsAt(`http://${host}/keys`), host).to.deep.equal([fault]);
    for (const host of ['localhost', '127.0.0.1:8080', '127.1', '[::1]'])
      expect(faultsAt(`http://${host}/keys`), host).to.deep.equal([]);
    expect(faultsAt('https://issuer.example/keys')).to.deep.equal([]);
    expect(faultsOf({ JWKS_URI: 'http://issuer.example/keys' })).to.deep.equal([]);
  });

  it('warns in production of keys of an issuer without an audience', () => {
    const warningsOf = (more: Readonly<Record<string, string>>) => {
      const config = readConfig({ SEALING: 'false', JWKS_URI: 'https://issuer.example/keys', ...more });
      return E.isRight(config) ? config.right.warnings : config.left;
    };
    expect(warningsOf({ NODE_ENV: 'production' })).to.deep.equal([
      'JWKS_URI without JWT_AUDIENCE: tokens for other services are accepted',
    ]);
    expect(warningsOf({ NODE_ENV: 'production', JWT_AUDIENCE: 'service' })).to.deep.equal([]);
    expect(warningsOf({})).to.deep.equal([]);
  });

  for (const name of ['DATABASE_CONNECT_TIMEOUT', 'VERIFY_PERIOD'])
    it(`a time of nothing for ${name}`, () => {
      for (const none of ['0s', '0m', '000d'])
        expect(faultsOf({ [name]: none }), none).to.deep.equal([`${name}: expected a time like 90s, 30m, 24h or 7d`]);
      expect(faultsOf({ [name]: '1s' })).to.deep.equal([]);
    });

  const planted = 'pl4nted';
  const unread: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    [
      'DATABASE_URL',
      [
        `mysql://app:${planted}@db/app`,
        `postgres://app:1#${planted}@db/app`,
        `postgres://app:1/${planted}@db/app`,
        `postgres://app:1?${planted}@db/app`,
        `postgres://app:${planted}@db:port/app`,
        `postgres://app:${planted}@db/app?sslmod=require`,
        `postgres://app@db/app?sslmode=require&${planted}=1`,
      ],
    ],
    ['EVENTSTOREDB_URL', [`ftp://ops:${planted}@log`]],
    [
      'S3_ENDPOINT',
      [
        `ftp://key:${planted}@files`,
        `http://key:${planted}@files`,
        `http://files/${planted}`,
        `http://files?${planted}`,
        `http://files#${planted}`,
        `http://files:${planted}`,
      ],
    ],
    ['JWT_SECRET', [planted, planted[0]?.repeat(40) ?? '']],
    ['JWT_PUBLIC_KEY', [planted, pemOf('PRIVATE')]],
    ['JWKS_URI', [`ftp://a:${planted}@issuer`, `https://issuer:${planted}/`, `https://issuer/#${planted}`]],
    ['SNAPSHOT_KEY', [planted]],
    ['LINK_KEY', [planted]],
    ['EVENT_KEY', [planted, `${secret}\n${planted}`]],
    ['METRICS_TOKEN', [planted, `${planted} ${secret}`]],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', [`http://a:${planted}@collector`, `http://collector?${planted}`, planted]],
    ['PUBLIC_URL', [`https://a:${planted}@example.com`, `https://example.com?${planted}`]],
    ['CORS_ORIGINS', [`https://a:${planted}@example.com`]],
    ...[
      'PORT',
      'DATABASE_CONNECT_TIMEOUT',
      'MAX_UPLOAD_BYTES',
      'PUBLIC_DOCUMENT_LIST',
      'AUDIT_API',
      'LOG_LEVEL',
      'RATE_LIMIT',
      'MAX_CONNECTIONS',
      'MAX_CONNECTIONS_PER_ADDRESS',
      'ROLLBACK_WINDOW',
      'VERIFY_PERIOD',
      'SEALING',
      'API_ONLY',
      'PROJECTOR_ONLY',
    ].map((name) => [name, [planted]] as const),
  ];
  for (const [name, values] of unread)
    it(`${name} by its name, without its value`, () => {
      for (const value of values) {
        const faults = faultsOf({ [name]: value });
        expect(
          faults.filter((fault) => fault.startsWith(`${name}: expected `)),
          value,
        ).to.have.lengthOf(1);
        expect(faults.join()).not.to.include('nted');
      }
    });
});
