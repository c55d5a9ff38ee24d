import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { readConfig } from '../src/config.js';
import { withSecretFiles } from '../src/config/secret-files.js';

const secret = 'a secret of at least thirty-two bytes';

describe('configuration', () => {
  it('needs no setting at all', () => {
    expect(readConfig({})).to.deep.equal(
      E.right({
        port: 3000,
        host: '127.0.0.1',
        dataDir: '.data',
        databaseUrl: undefined,
        databaseUrlFile: undefined,
        databaseConnectTimeout: undefined,
        eventStoreDbUrl: undefined,
        s3: undefined,
        snapshotKey: undefined,
        linkKey: undefined,
        eventKeys: undefined,
        checkpointKey: undefined,
        checkpointOrigin: undefined,
        witnessPolicy: undefined,
        tsaUrl: undefined,
        isSealed: true,
        erasure: false,
        erasureKeys: undefined,
        jwt: { key: { _tag: 'Development' }, issuer: undefined, audience: undefined },
        metricsToken: undefined,
        maxUploadBytes: 104857600,
        publicDocumentList: false,
        auditApi: true,
        accessRecord: 'on',
        corsOrigins: [],
        publicUrl: undefined,
        logLevel: 'info',
        rateLimit: undefined,
        maxConnections: 1_000,
        maxConnectionsPerAddress: undefined,
        rollbackWindow: 86_400,
        verifyPeriod: 86_400,
        isTraced: false,
        parts: { api: true, projector: true },
        warnings: [],
      }),
    );
  });

  it('takes every setting', () => {
    const environment = {
      PORT: '0',
      HOST: '0.0.0.0',
      DATA_DIR: '/srv/data',
      DATABASE_URL: 'postgres://app@db/app',
      EVENTSTOREDB_URL: 'esdb://log:2113?tls=false',
      S3_ENDPOINT: 'http://files:9000',
      S3_BUCKET: 'files',
      S3_CHECKPOINT_BUCKET: 'checkpoints',
      S3_ACCESS_KEY: 'key',
      S3_SECRET_KEY: 'secret',
      S3_REGION: 'eu-west-1',
      JWT_SECRET: secret,
      JWT_ISSUER: 'https://issuer.example',
      JWT_AUDIENCE: 'service',
      METRICS_TOKEN: 'a-token_of.at~least+thirty/two==',
      MAX_UPLOAD_BYTES: '1024',
      PUBLIC_DOCUMENT_LIST: 'true',
      AUDIT_API: 'false',
      ACCESS_RECORD: 'required',
      CORS_ORIGINS: 'https://a.example, https://b.example:8443',
      PUBLIC_URL: 'https://Example.com/records/',
      LOG_LEVEL: 'debug',
      RATE_LIMIT: '600',
      MAX_CONNECTIONS: '200',
      MAX_CONNECTIONS_PER_ADDRESS: '20',
      DATABASE_CONNECT_TIMEOUT: '10s',
      ROLLBACK_WINDOW: '90m',
      VERIFY_PERIOD: '12h',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      SNAPSHOT_KEY: `${secret} for rows`,
      LINK_KEY: `${secret} for links`,
      EVENT_KEY: `${secret} for events`,
      ERASURE: 'true',
      ERASURE_KEY: `${secret} for erasing`,
      CHECKPOINT_KEY: 'a key',
      CHECKPOINT_ORIGIN: 'example.com/log',
      WITNESS_POLICY: '/etc/witnesses',
      TSA_URL: 'http://tsa.example/tsr',
      SEALING: 'yes',
      API_ONLY: '1',
      NODE_ENV: 'production',
    };
    expect(readConfig(environment)).to.deep.equal(
      E.right({
        port: 0,
        host: '0.0.0.0',
        dataDir: '/srv/data',
        databaseUrl: 'postgres://app@db/app',
        databaseUrlFile: undefined,
        databaseConnectTimeout: 10,
        eventStoreDbUrl: 'esdb://log:2113?tls=false',
        s3: {
          endpoint: 'http://files:9000',
          bucket: 'files',
          checkpointBucket: 'checkpoints',
          accessKey: 'key',
          secretKey: 'secret',
          region: 'eu-west-1',
        },
        snapshotKey: `${secret} for rows`,
        linkKey: `${secret} for links`,
        eventKeys: [`${secret} for events`],
        erasure: true,
        erasureKeys: [`${secret} for erasing`],
        checkpointKey: 'a key',
        checkpointOrigin: 'example.com/log',
        witnessPolicy: '/etc/witnesses',
        tsaUrl: 'http://tsa.example/tsr',
        isSealed: true,
        jwt: { key: { _tag: 'Secret', secret }, issuer: 'https://issuer.example', audience: 'service' },
        metricsToken: 'a-token_of.at~least+thirty/two==',
        maxUploadBytes: 1024,
        publicDocumentList: true,
        auditApi: false,
        accessRecord: 'required',
        corsOrigins: ['https://a.example', 'https://b.example:8443'],
        publicUrl: 'https://example.com/records',
        logLevel: 'debug',
        rateLimit: 600,
        maxConnections: 200,
        maxConnectionsPerAddress: 20,
        rollbackWindow: 5_400,
        verifyPeriod: 43_200,
        isTraced: true,
        parts: { api: true, projector: false },
        warnings: [],
      }),
    );
  });

  for (const scheme of ['esdb', 'kurrentdb', 'kurrent', 'kdb'])
    it(`takes the log server by ${scheme}://, and by ${scheme}+discover://`, () => {
      for (const eventStoreDbUrl of [`${scheme}://log`, `${scheme}+discover://log`])
        expect(readConfig({ EVENTSTOREDB_URL: eventStoreDbUrl })).to.have.nested.property(
          'right.eventStoreDbUrl',
          eventStoreDbUrl,
        );
    });

  it('counts an empty text as unset', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '', JWT_SECRET: '' })).to.deep.equal(readConfig({}));
  });

  it('names every fault at once, and no value', () => {
    const environment = {
      PORT: '70000',
      DATABASE_URL: 'mysql://db',
      EVENTSTOREDB_URL: 'log:2113',
      S3_ENDPOINT: 'http://files:9000',
      JWT_SECRET: 'short',
      JWKS_URI: 'https://issuer.example/keys',
      MAX_UPLOAD_BYTES: '1e9',
      PUBLIC_DOCUMENT_LIST: 'maybe',
      PUBLIC_URL: 'https://user:word@example.com',
      CORS_ORIGINS: 'https://a.example/path',
      LOG_LEVEL: 'loud',
      API_ONLY: 'true',
      PROJECTOR_ONLY: 'true',
    };
    expect(readConfig(environment)).to.deep.equal(
      E.left([
        'PORT: expected a whole number from 0 to 65535',
        'DATABASE_URL: expected a URL that begins with postgres:// or postgresql://',
        'EVENTSTOREDB_URL: expected a URL that begins with esdb:// or esdb+discover:// or kurrentdb:// or kurrentdb+discover:// or kurrent:// or kurrent+discover:// or kdb:// or kdb+discover://',
        'S3_BUCKET: required with the other S3 settings',
        'S3_ACCESS_KEY: required with the other S3 settings',
        'S3_SECRET_KEY: required with the other S3 settings',
        'JWT_SECRET, JWKS_URI: set only one of them',
        'JWT_SECRET: expected at least 32 bytes',
        `MAX_UPLOAD_BYTES: expected a whole number from 1 to ${String(5 * 1024 ** 4)}`,
        'PUBLIC_DOCUMENT_LIST: expected true or false',
        'CORS_ORIGINS: expected origins like https://app.example.com, separated by commas',
        'PUBLIC_URL: expected an address like https://example.com/records, without credentials or a query',
        'LOG_LEVEL: expected one of fatal, error, warn, info, debug, trace, silent',
        'API_ONLY, PROJECTOR_ONLY: set only one of them',
      ]),
    );
  });

  it('refuses the development secret in production', () => {
    expect(readConfig({ NODE_ENV: 'production' })).to.deep.equal(
      E.left([
        'JWT_SECRET, JWT_PUBLIC_KEY, JWKS_URI: one of them is required when NODE_ENV is production',
        'CHECKPOINT_KEY: required when NODE_ENV is production, unless SEALING is false',
      ]),
    );
  });

  it('demands the key of checkpoints in production of who signs them, unless that is switched off', () => {
    const environment = { NODE_ENV: 'production', JWT_SECRET: secret, DATABASE_URL: 'postgres://db/app' };
    const isRight = (more: Readonly<Record<string, string>>) => E.isRight(readConfig({ ...environment, ...more }));
    expect(isRight({})).to.equal(false);
    expect(isRight({ PROJECTOR_ONLY: 'true' })).to.equal(false);
    expect(isRight({ SEALING: 'false' })).to.equal(true);
    expect(isRight({ API_ONLY: 'true' })).to.equal(true);
    expect(isRight({ CHECKPOINT_KEY: 'a key' })).to.equal(true);
  });

  it('refuses to split a process that lives on its own embedded database', () => {
    expect(readConfig({ API_ONLY: 'true' })).to.deep.equal(
      E.left(['DATABASE_URL: required when API_ONLY or PROJECTOR_ONLY splits the process']),
    );
  });

  it('takes a public key whose line ends are escaped', () => {
    const config = readConfig({ JWT_PUBLIC_KEY: '-----BEGIN PUBLIC KEY-----\\nabc\\n-----END PUBLIC KEY-----' });
    expect(E.isRight(config) && config.right.jwt.key).to.deep.equal({
      _tag: 'PublicKey',
      pem: '-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----',
    });
  });

  it('takes event keys as lines, the newest first, between comments and empty lines', () => {
    const [newer, older] = [`${secret}, the newer`, 'Łódź, 32 bytes in 29 letters!'];
    const list = `# since May\r\n${newer}\r\n\n  ${older}\t\n# the end`;
    const config = readConfig({ EVENT_KEY: list });
    expect(E.isRight(config) && config.right.eventKeys).to.deep.equal([newer, older]);
  });

  for (const [what, token] of [
    ['has 31 characters', 'a'.repeat(31)],
    ['no header can carry', `${'a'.repeat(31)} b`],
    ['has padding within', `${'a'.repeat(31)}=b`],
  ] as const)
    it(`refuses a token for the metrics that ${what}`, () => {
      expect(readConfig({ METRICS_TOKEN: token })).to.deep.equal(
        E.left([
          'METRICS_TOKEN: expected at least 32 characters of A-Z a-z 0-9 - . _ ~ + /, with = at the end alone, and not one repeated character',
        ]),
      );
    });

  for (const [what, list] of [
    ['nothing but comments', '# a key\n\n# another'],
    ['a key of 31 bytes', `${secret}\n${'k'.repeat(31)}`],
    ['a key twice', `${secret}\nanother ${secret}\n${secret}`],
  ] as const)
    it(`refuses a list of event keys that has ${what}`, () => {
      expect(readConfig({ EVENT_KEY: list })).to.deep.equal(
        E.left(['EVENT_KEY: expected one key a line, the newest first, each once and of at least 32 bytes']),
      );
    });

  it('refuses a secret file that is empty, which is not a secret left out', () => {
    const environment = { EVENT_KEY_FILE: '/run/secrets/event-keys', JWT_SECRET_FILE: '/run/secrets/jwt' };
    expect(withSecretFiles(environment, (file) => (file.endsWith('jwt') ? secret : ' \n'))).to.deep.equal(
      E.left(['EVENT_KEY_FILE: the file it names is empty']),
    );
  });

  it('takes secrets from the files that the environment names', () => {
    const files: Readonly<Record<string, string>> = { '/run/secrets/jwt': `${secret}\n` };
    const environment = { PORT: '1', JWT_SECRET_FILE: '/run/secrets/jwt' };
    expect(withSecretFiles(environment, (file) => files[file] ?? '')).to.deep.equal(
      E.right({ ...environment, JWT_SECRET: secret }),
    );
  });

  it('refuses a secret that is given twice, by itself and by a file', () => {
    const environment = { JWT_SECRET: secret, JWT_SECRET_FILE: '/run/secrets/jwt' };
    expect(withSecretFiles(environment, () => 'another')).to.deep.equal(
      E.left(['JWT_SECRET and JWT_SECRET_FILE: give only one of them']),
    );
    expect(E.isRight(withSecretFiles({ ...environment, JWT_SECRET: '' }, () => secret))).to.equal(true);
  });

  it('names every secret file that cannot be read', () => {
    const environment = { JWT_SECRET_FILE: '/nowhere', DATABASE_URL_FILE: '/nowhere/else' };
    const missing = () => {
      throw new Error('ENOENT');
    };
    expect(withSecretFiles(environment, missing)).to.deep.equal(
      E.left([
        'DATABASE_URL_FILE: the file it names cannot be read',
        'JWT_SECRET_FILE: the file it names cannot be read',
      ]),
    );
  });
});
