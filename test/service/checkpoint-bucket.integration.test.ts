import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { Client } from 'minio';
import { checkpointKey } from '../../src/infrastructure/checkpoints/checkpoint-key.js';
import { makeApi } from '../support/api.js';
import { membersOf } from '../support/audit-pack.js';
import { makeLockedS3Bucket } from '../support/locked-s3-server.js';
import { makeNews } from '../support/news.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { readinessOf } from '../support/readiness.js';
import { type S3Server, startS3Server } from '../support/s3-server.js';
import { type ServiceProcess, startService, tokenFor } from '../support/service-process.js';
import { tsaOfSuite } from '../support/small-tsa.js';
import { untilSigned } from '../support/until-signed.js';

const ORIGIN = 'log.example.com/bucket';
const LOCKED = 'locked';
const UNLOCKED =
  'S3_CHECKPOINT_BUCKET has no object lock that its keys can see: whoever has them can remove checkpoints';

type Env = Readonly<Record<string, string>>;
type Counts = { readonly checkpoints: unknown; readonly timestamps: unknown; readonly faults: unknown };

const keyOf = (size: number): string => checkpointKey({ origin: ORIGIN, size });

describe('a service whose checkpoints have a bucket of their own', function () {
  this.timeout(startingPostgres * 5);
  const tsa = tsaOfSuite();
  let directory: string;
  let server: S3Server;
  let services: Array<ServiceProcess>;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'bucket-'));
    server = await startS3Server();
    services = [];
  });
  afterEach(async () => {
    for (const { kill } of services) kill('SIGKILL');
    await Promise.all(services.map(({ exited }) => exited));
    await server.close();
    await rm(directory, { recursive: true });
  });

  const dataDir = (): string => path.join(directory, 'data');
  const settingsOf = async (): Promise<Env> => ({
    ...server.env,
    DATA_DIR: dataDir(),
    DATABASE_URL: await freshDatabase(),
    CHECKPOINT_KEY: (await runOperator(['log', 'new-key', ORIGIN])).stdout.trim(),
  });

  const start = async (env: Env): Promise<ServiceProcess> => {
    const service = await startService({ dataDir: dataDir(), env });
    services.push(service);
    return service;
  };
  const stop = async ({ kill, exited }: ServiceProcess): Promise<void> => {
    kill('SIGTERM');
    expect(await exited).to.equal(0);
  };
  const addBusiness = async ({ address }: ServiceProcess, name: string): Promise<string> => {
    const { json } = makeApi(address, await tokenFor('admin', 'alice'));
    return (await json<{ readonly _id: string }>('POST', '/business', { name }))._id;
  };

  const ops = async (env: Env, ...args: ReadonlyArray<string>) => {
    const { code, stdout, stderr } = await runOperator([...args, '--json'], { env });
    const last = stdout.trimEnd().split('\n').at(-1) ?? '';
    // reason: docs/ops-json.md
    return { code, said: stdout + stderr, counts: JSON.parse(last === '' ? '{}' : last) as Counts };
  };

  /** Has a locked bucket, whose keys may not remove anything, answer what is asked about it. */
  const lockBucket = () => {
    const bucket = makeLockedS3Bucket(true);
    const news = makeNews();
    server.intercept((request, response, pass) => {
      if (request.url?.startsWith(`/${LOCKED}`) !== true) {
        pass();
        return;
      }
      response.once('finish', () => news.tell());
      if (request.method === 'DELETE') response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
      else bucket.answer(request, response);
    });
    return { ...bucket, untilThere: (key: string) => news.until(() => bucket.versionsOf(key).length > 0) };
  };

  it('puts them there, finds those from before with the files, and its commands read both', async () => {
    const earlier = await settingsOf();
    const before = await start(earlier);
    await addBusiness(before, 'first');
    await untilSigned(before, 1);
    await stop(before);

    const bucket = lockBucket();
    const env = { ...earlier, S3_CHECKPOINT_BUCKET: LOCKED };
    const service = await start({ ...env, TSA_URL: tsa().url });
    const second = await addBusiness(service, 'second');
    await bucket.untilThere(keyOf(2).replace('checkpoints/', 'checkpoints/timestamps/'));
    const { status, warnings } = await readinessOf(service);
    expect([status, warnings]).to.deep.equal([200, undefined]);
    await stop(service);
    expect([1, 2].map((size) => bucket.versionsOf(keyOf(size)).length)).to.deep.equal([0, 1]);

    const verified = await ops(env, 'log', 'verify');
    expect(verified.code, verified.said).to.equal(0);
    // two in Postgres, and one in each bucket
    expect(verified.counts.checkpoints).to.deep.include({ fitting: 4, beforePostgres: 0, putElsewhere: 0 });
    const backup = path.join(directory, 'backup');
    const made = await ops(env, 'backup', backup);
    expect(made.code, made.said).to.equal(0);
    const whole = await ops(env, 'backup', backup, '--verify');
    expect(whole.counts, whole.said).to.include({ checkpoints: 4, timestamps: 1 });
    for (const size of [1, 2])
      expect(await readFile(path.join(backup, 'files', ...keyOf(size).split('/')), 'utf8')).to.include(
        `${ORIGIN}\n${size}\n`,
      );
    const swept = await ops(env, 'files', 'verify');
    expect(swept.code, swept.said).to.equal(0);
    const pack = path.join(directory, 'pack.zip');
    const packed = await runOperator(['audit', 'pack', `business/${second}`, '--out', pack], { env });
    expect(packed.code, packed.stderr).to.equal(0);
    expect([...(await membersOf(await readFile(pack))).keys()]).to.include('checkpoint.tsr');

    // without the setting, what is in the bucket is not looked for, and that is said
    const without = await ops(earlier, 'log', 'verify');
    expect(without.code).to.equal(0);
    expect(without.counts.checkpoints).to.deep.include({ putElsewhere: 1 });

    const restored = {
      ...env,
      DATABASE_URL: await freshDatabase(),
      S3_BUCKET: 'other-files',
      DATA_DIR: path.join(directory, 'restored'),
    };
    const other = lockBucket();
    const back = await ops(restored, 'restore', backup);
    expect(back.code, back.said).to.equal(0);
    expect([1, 2].map((size) => other.versionsOf(keyOf(size)).length)).to.deep.equal([1, 1]);
  });

  it('has it found by log verify when they are removed, there or from the files', async () => {
    const earlier = await settingsOf();
    const env = { ...earlier, S3_CHECKPOINT_BUCKET: 'unlocked' };
    for (const [settings, size] of [[earlier, 1] as const, [env, 2] as const]) {
      const service = await start(settings);
      expect((await readinessOf(service)).warnings).to.deep.equal(settings === env ? [UNLOCKED] : undefined);
      expect(service.output().includes(`"msg":"${UNLOCKED}"`)).to.equal(settings === env);
      await addBusiness(service, `number ${size}`);
      await untilSigned(service, size);
      await stop(service);
    }
    expect((await ops(env, 'log', 'verify')).code).to.equal(0);
    const { endpoint, accessKey, secretKey } = server.settings;
    const { hostname, port } = new URL(endpoint);
    const client = new Client({ endPoint: hostname, port: Number(port), useSSL: false, accessKey, secretKey });
    for (const [bucket, size] of [
      ['unlocked', 2],
      ['files', 1],
    ] as const) {
      await client.removeObject(bucket, keyOf(size));
      const { code, said } = await ops(env, 'log', 'verify');
      expect(code).to.equal(1);
      expect(said).to.include(`the checkpoint of ${size} event`).and.to.include('checkpoint-removed');
    }
  });
});
