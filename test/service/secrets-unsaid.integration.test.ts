import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { JWT_SECRET, startService } from '../support/service-process.js';

const PLANTED = 'pl4nted';

describe('what the service says', function () {
  this.timeout(60_000);
  let directory: string;
  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'unsaid-'));
    await writeFile(path.join(directory, 'url'), `esdb://ops:${PLANTED}@127.0.0.1:1?tsl=false`, { mode: 0o600 });
  });
  after(() => rm(directory, { recursive: true }));

  const s3 = { S3_ENDPOINT: 'http://127.0.0.1:1', S3_BUCKET: 'files', S3_ACCESS_KEY: 'key', S3_SECRET_KEY: PLANTED };
  const faults: ReadonlyArray<readonly [string, () => Readonly<Record<string, string>>, string]> = [
    [
      'an unknown option',
      () => ({ EVENTSTOREDB_URL: `esdb://ops:${PLANTED}@127.0.0.1:1?tsl=false` }),
      'unknown option tsl',
    ],
    [
      'an unknown option in a file',
      () => ({ EVENTSTOREDB_URL_FILE: path.join(directory, 'url') }),
      'unknown option tsl',
    ],
    [
      'an option without effect',
      () => ({ EVENTSTOREDB_URL: `esdb://ops:${PLANTED}@log?tlsVerifyCert=false` }),
      'tlsVerifyCert',
    ],
    ['a raw colon', () => ({ EVENTSTOREDB_URL: `esdb://ops:a:${PLANTED}@log` }), 'percent-encode'],
    ['a raw question mark', () => ({ DATABASE_URL: `postgres://app:1?${PLANTED}@db/app` }), 'DATABASE_URL'],
    [
      'credentials of a server of files',
      () => ({ ...s3, S3_ENDPOINT: `http://a:${PLANTED}@127.0.0.1:1` }),
      'S3_ENDPOINT',
    ],
    ['one secret for two purposes', () => ({ SNAPSHOT_KEY: JWT_SECRET }), 'JWT_SECRET, SNAPSHOT_KEY'],
  ];
  for (const [what, env, reason] of faults)
    it(`has no secret in it where the settings have ${what}`, async () => {
      const dataDir = path.join(directory, what);
      const said = await startService({ dataDir, env: { DATABASE_URL: 'postgres://127.0.0.1:1/app', ...env() } }).then(
        () => 'it started',
        String,
      );
      expect(said).to.include(reason);
      expect(said).not.to.include(PLANTED);
      expect(said).not.to.include(JWT_SECRET);
    });

  it('warns at the start and by /readyz of keys of an issuer without an audience, and has no secret in it', async () => {
    const keys = { JWT_SECRET: '', JWKS_URI: `https://a:${PLANTED}@127.0.0.1:1/keys` };
    const service = await startService({
      dataDir: path.join(directory, 'warned'),
      env: { NODE_ENV: 'production', SEALING: 'false', METRICS_TOKEN: JWT_SECRET.replaceAll(' ', '-'), ...keys },
    });
    try {
      const warning = 'JWKS_URI without JWT_AUDIENCE: tokens for other services are accepted';
      expect(service.output()).to.include(warning);
      const headers = { authorization: 'Bearer e30.e30.e30' };
      const answers = await Promise.all(
        ['/readyz', '/metrics', '/api/v1/document'].map(async (at) =>
          (await fetch(service.address + at, { headers })).text(),
        ),
      );
      expect(answers[0]).to.include(warning);
      expect(answers.join() + service.output()).not.to.include(PLANTED);
    } finally {
      service.kill('SIGTERM');
      await service.exited;
    }
  });
});
