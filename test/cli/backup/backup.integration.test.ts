import { EventEmitter, once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { signToken } from '../../../src/cli/sign-token.js';
import { developmentSecret } from '../../../src/infrastructure/disk/development-secret.js';
import { parseVerifier, renamedVerifier, renderVerifier } from '../../../src/seal/note-key.js';
import { makeApi } from '../../support/api.js';
import { beforeProgram } from '../../support/before-program.js';
import { contentOf } from '../../support/bodies.js';
import { untilSigned } from '../../support/until-signed.js';
import { FORM_TYPE, formOf } from '../../support/multipart-form.js';
import { operatorProgram, runOperator, runOperatorAlone } from '../../support/operator.js';
import { right } from '../../support/sealed-tree.js';
import { type ServiceProcess, startService } from '../../support/service-process.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

type Summary = {
  readonly log: string;
  readonly events: number;
  readonly files: number;
  readonly added: { readonly events: number; readonly files: number };
  readonly secrets: ReadonlyArray<string>;
  readonly notCopied: ReadonlyArray<string>;
  readonly origin: string;
  readonly checkpoints: number;
};

const summaryOf = (stdout: string): Summary =>
  // reason: the last line is the counts, which the tests look at
  JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Summary;

/** Kills the process that loads it when it has put more than five files into a directory, and long before all of them. */
const killedWithFilesIn = (root: string): string => `
  import { readdirSync } from 'node:fs';
  setInterval(() => {
    try {
      const names = readdirSync(${JSON.stringify(path.join(root, 'files', 'objects'))}, { recursive: true });
      if (names.filter((name) => name.includes('_')).length > 5) process.kill(process.pid, 'SIGKILL');
    } catch {
      // there is no such directory yet
    }
  }, 1).unref();
`;

const SECRETS = ['checkpoint-key', 'event-key', 'jwt-secret', 'link-key', 'snapshot-key'];

describe('the commands that back up and restore', function () {
  this.timeout(600_000);
  let directory: string;
  let running: Array<ServiceProcess>;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'ops-backup-'));
    running = [];
  });
  afterEach(async () => {
    for (const service of running) service.kill('SIGTERM');
    await Promise.all(running.map(({ exited }) => exited));
    await rm(directory, { recursive: true });
  });

  const at = (...names: ReadonlyArray<string>): string => path.join(directory, ...names);

  const start = async (dataDir: string): Promise<ServiceProcess> => {
    // no JWT_SECRET: the service makes one in its data directory
    const service = await startService({ dataDir, env: { JWT_SECRET: '' } });
    running.push(service);
    return service;
  };

  const stop = async (service: ServiceProcess): Promise<void> => {
    service.kill('SIGTERM');
    await service.exited;
    running = running.filter((each) => each !== service);
  };

  const tokenOf = async (dataDir: string): Promise<string> => {
    const key = { _tag: 'Secret', secret: await developmentSecret(systemRuntime.random, dataDir) } as const;
    const jwt = { key, issuer: undefined, audience: undefined };
    const request = { user: 'alice', roles: ['admin'], lifetime: 3600 };
    const token = await signToken(systemRuntime.clock, jwt, request, () => Promise.reject(new Error()));
    if (token._tag === 'Left') throw new Error(token.left);
    return token.right;
  };

  const upload = async ({ address }: ServiceProcess, token: string, content: Buffer): Promise<string> => {
    const body = formOf({ name: 'name', content: 'a' }, { name: 'file', content, filename: 'a.bin' });
    const headers = { authorization: `Bearer ${token}`, 'content-type': FORM_TYPE };
    const response = await fetch(`${address}/api/v1/document`, { method: 'POST', headers, body });
    expect(response.status).to.equal(200);
    return ((await response.json()) as { readonly _id: string })._id; // reason: what the operation answers
  };

  const create = (service: ServiceProcess, token: string, name: string): Promise<unknown> =>
    makeApi(service.address, token).json('POST', '/business', { name });

  const fileOf = async (service: ServiceProcess, token: string, id: string): Promise<Buffer> => {
    const response = await makeApi(service.address, token).send('GET', `/document/${id}/file`);
    expect(response.status).to.equal(200);
    return Buffer.from(await response.arrayBuffer());
  };

  const ops = (dataDir: string, ...args: ReadonlyArray<string>) => runOperator(args, { env: { DATA_DIR: dataDir } });

  const done = async (dataDir: string, ...args: ReadonlyArray<string>): Promise<Summary> => {
    const { code, stdout, stderr } = await ops(dataDir, ...args, '--json');
    expect(code, stderr + stdout).to.equal(0);
    return summaryOf(stdout);
  };

  const refused = async (dataDir: string, ...args: ReadonlyArray<string>): Promise<string> => {
    const { code, stdout, stderr } = await ops(dataDir, ...args);
    expect(code, stderr + stdout).to.equal(1);
    return stderr + stdout;
  };

  const originOf = async (dataDir: string): Promise<string> => {
    const { stdout } = await ops(dataDir, 'log', 'key');
    return stdout.split('+')[0] ?? '';
  };

  /** What a manifest says of the seal of an installation whose key signs under another name. */
  const sealNamed = async (dataDir: string, origin: string) => {
    const { stdout } = await ops(dataDir, 'log', 'key');
    const verifier = renamedVerifier(right(parseVerifier(stdout.trim().split('\n')[0] ?? '')), origin);
    if (verifier === undefined) throw new Error(`${origin} is no name of a key`);
    return { origin, key: renderVerifier(verifier) };
  };

  /** A service with two businesses and two files. */
  const given = async (dataDir: string) => {
    const service = await start(dataDir);
    const token = await tokenOf(dataDir);
    await create(service, token, 'Acme');
    await create(service, token, 'Bolt');
    const files = [contentOf(10), contentOf(300_000)];
    const ids = await Promise.all(files.map((content) => upload(service, token, content)));
    return { service, token, files, ids };
  };

  it('carry a service under load elsewhere, where old tokens, files, events and checkpoints are what they were', async () => {
    const [original, copy, backup] = [at('original'), at('copy'), at('backup')];
    const { service, token, files, ids } = await given(original);
    const loading = new AbortController();
    const emitter = new EventEmitter();
    let loaded = 0;
    const load = (async () => {
      while (!loading.signal.aborted) {
        await create(service, token, `Load ${loaded}`);
        await upload(service, token, contentOf(5_000 + loaded));
        loaded += 1;
        emitter.emit('loaded');
      }
    })();
    const untilLoaded = async (more: number): Promise<void> => {
      const enough = loaded + more;
      while (loaded < enough) await once(emitter, 'loaded');
    };
    await untilSigned(service, 3);
    await untilLoaded(3);
    const first = await done(original, 'backup', backup);
    await untilLoaded(2);
    loading.abort();
    await load;
    expect(first.secrets).to.have.members(SECRETS);
    expect(first.added.events).to.equal(first.events);
    expect(first.events).to.be.greaterThan(6);
    const segment = at('backup', 'log', '00000001.ndjson.gz');
    const before = await stat(segment);

    const second = await done(original, 'backup', backup);
    expect(second.events).to.be.greaterThan(first.events);
    expect(second.added.events).to.equal(second.events - first.events);
    expect(second.added.files).to.equal(second.files - first.files);
    expect((await stat(segment)).mtimeMs).to.equal(before.mtimeMs);
    const third = await done(original, 'backup', backup);
    expect([third.added.events, third.added.files]).to.deep.equal([0, 0]);
    expect((await ops(original, 'backup', backup, '--verify')).code).to.equal(0);

    expect((await stat(backup)).mode & 0o777).to.equal(0o700);
    expect((await stat(at('backup', 'secrets'))).mode & 0o777).to.equal(0o700);
    for (const name of SECRETS) expect((await stat(at('backup', 'secrets', name))).mode & 0o777).to.equal(0o600);

    const exported = (await ops(original, 'log', 'export')).stdout;
    const segments = (await readdir(at('backup', 'log'))).sort();
    const lines = await Promise.all(
      segments.map(async (name) => gunzipSync(await readFile(at('backup', 'log', name)))),
    );
    expect(Buffer.concat(lines).toString()).to.equal(exported);

    const restored = await done(copy, 'restore', backup, '--replace', '--user', 'olga');
    expect(restored.log).to.equal(second.log);
    expect(restored.checkpoints).to.be.greaterThan(0);
    expect((await ops(copy, 'log', 'export')).stdout).to.equal(exported);
    expect(restored.origin).to.equal(await originOf(original));
    await stop(service);
    const other = await start(copy);
    for (const [index, id] of ids.entries()) expect(await fileOf(other, token, id)).to.deep.equal(files[index]);
    await create(other, token, 'After');
    await untilSigned(other, restored.events + 1);
    const verified = await ops(copy, 'log', 'verify');
    expect(verified.code, verified.stdout + verified.stderr).to.equal(0);
    expect(verified.stdout).to.match(/checkpoints: all fit/);
    expect((await ops(copy, 'files', 'verify')).code).to.equal(0);
  });

  it('give a copy beside the old installation an origin of its own, another one each time', async () => {
    const [original, backup] = [at('original'), at('backup')];
    const { service } = await given(original);
    await untilSigned(service, 4);
    await done(original, 'backup', backup);
    const origins = [await originOf(original)];
    for (const name of ['one', 'other']) {
      const { origin } = await done(at(name), 'restore', backup);
      expect(await originOf(at(name))).to.equal(origin);
      origins.push(origin);
    }
    expect(new Set(origins).size).to.equal(3);
    await stop(service);
    const copied = await start(at('one'));
    await create(copied, await tokenOf(at('one')), 'After');
    await untilSigned(copied, 5);
    const { code, stdout, stderr } = await ops(at('one'), 'log', 'verify');
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout).to.include(`checkpoints of ${origins[0]}, an earlier origin`);
    expect(stdout).to.include('because: restored from a backup, as a copy');
  });

  it('find a byte that was changed, a file that is gone, and restore nothing of such a backup', async () => {
    const [original, backup] = [at('original'), at('backup')];
    await given(original);
    await done(original, 'backup', backup);
    const changed = at('changed');
    const damage = async (name: string): Promise<void> => {
      await rm(changed, { recursive: true, force: true });
      await cp(backup, changed, { recursive: true });
      const bytes = await readFile(path.join(changed, name));
      bytes[20] = (bytes[20] ?? 0) ^ 1;
      await writeFile(path.join(changed, name), bytes);
    };
    await damage('log/00000001.ndjson.gz');
    expect(await refused(original, 'backup', changed, '--verify')).to.include('log/00000001.ndjson.gz was changed');
    expect(await refused(at('none'), 'restore', changed)).to.include('not restored: the backup has 1 fault');
    expect(await readdir(directory)).to.not.include('none');

    const objects = path.join('files', 'objects');
    const names = await readdir(path.join(backup, objects), { recursive: true });
    const [large = ''] = await Promise.all(
      names.map(async (name) => ((await stat(path.join(backup, objects, name))).size === 300_000 ? name : undefined)),
    ).then((found) => found.filter((name) => name !== undefined));
    await damage(path.join(objects, large));
    expect(await refused(original, 'backup', changed, '--verify')).to.match(/different: documents\/.*SHA-256/);
    expect(await refused(at('none'), 'restore', changed)).to.include('not restored: the backup has 1 fault');
    await rm(path.join(changed, objects, large));
    expect(await refused(original, 'backup', changed, '--verify')).to.match(/missing: documents\//);
    expect(await refused(at('none'), 'restore', changed)).to.include('not restored: the backup has 1 fault');
    await damage('secrets/event-key');
    expect(await refused(original, 'backup', changed, '--verify')).to.include('secrets/event-key was changed');
    expect(await refused(at('none'), 'restore', changed)).to.include('not restored: the backup has 1 fault');
    expect(await readdir(directory)).to.not.include('none');
    const without = await ops(at('without'), 'restore', changed, '--without-secrets');
    expect(without.code, without.stderr).to.equal(0);
    expect(without.stderr).to.include(
      'event-key was not restored, and the service makes a new one: `ops log verify` takes the restored events for suspect',
    );
  });

  it('complete a backup and a restore that were killed', async () => {
    const [original, backup] = [at('original'), at('backup')];
    const { service, token } = await given(original);
    for (let count = 0; count < 40; count += 1) await upload(service, token, contentOf(400_000 + count));
    const kill = async (args: ReadonlyArray<string>, dataDir: string, filled: string): Promise<void> => {
      const program = [...beforeProgram(killedWithFilesIn(filled)), await operatorProgram()];
      expect((await runOperatorAlone(args, { env: { DATA_DIR: dataDir }, program })).code).to.equal('SIGKILL');
    };
    const filesIn = async (root: string): Promise<number> =>
      (await readdir(path.join(root, 'files', 'objects'), { recursive: true })).filter((name) => name.includes('_'))
        .length;
    await kill(['backup', backup], original, backup);
    expect(await filesIn(backup)).to.be.lessThan(42);
    const completed = await done(original, 'backup', backup);
    expect(completed.files).to.equal(42);
    expect((await ops(original, 'backup', backup, '--verify')).code).to.equal(0);
    expect(await readdir(at('backup', 'files', 'unfinished'))).to.deep.equal([]);

    await kill(['restore', backup], at('copy'), at('copy'));
    // who signs with the key of the backup has its whole history
    expect(await readdir(at('copy'))).to.not.include('checkpoint-key');
    const unfinished =
      'a restore, a copy or an import into this log has begun and not ended: repeat the same `ops restore`';
    for (const args of [
      ['log', 'verify'],
      ['projections', 'status'],
      ['files', 'verify'],
      ['events'],
      ['migrate'],
      ['log', 'import'],
    ])
      expect(await refused(at('copy'), ...args), args.join(' ')).to.include(unfinished);
    expect(await start(at('copy')).then(() => 'started', String)).to.include(unfinished);
    const restored = await done(at('copy'), 'restore', backup);
    expect(restored.files).to.equal(42);
    expect(await originOf(at('copy'))).to.equal(restored.origin);
    const again = await ops(at('copy'), 'restore', backup);
    expect(again.stdout).to.include(`it is restored already; checkpoints are signed as ${restored.origin}`);
    expect(again.code).to.equal(0);
    expect(await done(at('copy'), 'restore', backup)).to.deep.equal({ log: restored.log, origin: restored.origin });
    expect(await refused(at('copy'), 'restore', backup, '--replace')).to.include('restore into an empty one');
    // killed before the key was in its place
    await rm(at('copy', 'checkpoint-key'));
    expect((await ops(at('copy'), 'restore', backup)).code).to.equal(0);
    expect(await originOf(at('copy'))).to.equal(restored.origin);
    const exported = (await ops(original, 'log', 'export')).stdout;
    expect((await ops(at('copy'), 'log', 'export')).stdout.slice(0, exported.length)).to.equal(exported);
    expect((await ops(at('copy'), 'files', 'verify')).code).to.equal(0);
  });

  it('begin an origin of their own under whatever name the key of the backup signs, and where it is not known', async () => {
    const [original, backup] = [at('original'), at('backup')];
    const { service } = await given(original);
    await untilSigned(service, 4);
    await done(original, 'backup', backup);
    const file = at('backup', 'manifest.json');
    // as by a run that was killed after the seal had been restarted
    // reason: an object, as documented
    const manifest = JSON.parse(await readFile(file, 'utf8')) as object;
    const seals = { renamed: await sealNamed(original, `${await originOf(original)}/2`), unknown: null };
    for (const [name, seal] of Object.entries(seals)) {
      await writeFile(file, JSON.stringify({ ...manifest, seal }));
      const restored = await done(at(name), 'restore', backup);
      expect(restored.origin, name).to.match(/\/copy-[0-9a-f]{16}$/);
    }
    const verified = await ops(original, 'backup', backup, '--verify');
    expect(verified.stdout).to.match(
      /\d checkpoints? \(0 of them of the key and origin in force, and compared\): all whole/,
    );
    // who does not know the key takes nothing away from what an earlier run knew
    await writeFile(file, JSON.stringify(manifest));
    const { code } = await runOperator(['backup', backup], { env: { DATA_DIR: original, SEALING: 'false' } });
    expect(code).to.equal(0);
    expect(JSON.parse(await readFile(file, 'utf8')))
      .to.have.property('seal')
      .that.is.not.equal(null);
  });

  it('never sign as the old installation with another key of its name', async () => {
    const [original, backup] = [at('original'), at('backup')];
    const { service } = await given(original);
    await untilSigned(service, 4);
    await done(original, 'backup', backup);
    const origin = await originOf(original);
    const { stdout: key } = await runOperator(['log', 'new-key', origin]);
    const restore = (name: string, ...args: ReadonlyArray<string>) =>
      runOperator(['restore', backup, ...args], { env: { DATA_DIR: at(name), CHECKPOINT_KEY: key.trim() } });
    const copy = await restore('copy');
    expect([copy.code, copy.stderr]).to.satisfy(
      ([code, said]: [number, string]) => code === 0 && said.includes('another key than that of the backup'),
    );
    expect(copy.stdout).to.match(
      new RegExp(`^checkpoints are signed as ${origin}/copy-[0-9a-f]{16} from now on$`, 'm'),
    );
    const replaced = await restore('replaced', '--replace');
    expect([replaced.code, replaced.stderr]).to.satisfy(
      ([code, said]: [number, string]) => code === 0 && said.includes('unless CHECKPOINT_KEY has that key first'),
    );
  });

  it('say where a directory cannot be used', async () => {
    const original = at('original');
    await given(original);
    await writeFile(at('file'), '');
    const place = `not backed up into ${at('file')}: it cannot be `;
    expect(await refused(original, 'backup', at('file'))).to.include(`${place}written: ENOTDIR: not a directory`);
    expect(await refused(original, 'backup', '/proc/backup')).to.include(
      'not backed up into /proc/backup: it cannot be used: nothing can be made in /proc',
    );
    expect(await refused(original, 'backup', at('file'), '--verify')).to.include('it cannot be read: ENOTDIR');
    expect(await refused(at('none'), 'restore', at('file'))).to.include('it cannot be read: ENOTDIR');
  });

  it('refuse what is not theirs', async () => {
    const [original, other, backup] = [at('original'), at('other'), at('backup')];
    await given(original);
    await given(other);
    await done(original, 'backup', backup, '--without-secrets');
    expect(await readdir(backup)).to.not.include('secrets');
    expect(await refused(other, 'backup', backup)).to.include('it is a backup of another log');
    expect(await refused(original, 'backup', at('original', 'backup'))).to.include('within the data directory');
    await mkdir(at('mine'));
    await writeFile(at('mine', 'letter.txt'), 'Dear');
    expect(await refused(original, 'backup', at('mine'))).to.include('something else than a backup: letter.txt');
    expect(await readdir(at('mine'))).to.deep.equal(['letter.txt']);
    expect(await refused(other, 'restore', backup)).to.include('the log is not empty');
    expect(await refused(original, 'restore', backup)).to.include('a service has run there already');
    expect(await refused(at('none'), 'restore', at('mine'))).to.include('there is no backup');
    await writeFile(at('backup', 'lock'), 'elsewhere operator:1:1:1\n');
    expect(await refused(original, 'backup', backup)).to.include(
      'another backup into it is at work (pid 1 on elsewhere)',
    );
    await rm(at('backup', 'lock'));

    const { code, stderr } = await runOperator(['backup', backup], {
      env: { DATA_DIR: original, JWT_SECRET: 'a secret of at least 32 bytes, given' },
    });
    expect([code, stderr.includes('not in the backup, because settings give them: JWT_SECRET')]).to.deep.equal([
      0,
      true,
    ]);
    expect(await readdir(at('backup', 'secrets'))).to.have.members(SECRETS.filter((name) => name !== 'jwt-secret'));
    expect(await refused(original, 'backup', backup, '--without-secrets')).to.include(
      'it has the secrets of an earlier run: --without-secrets needs a directory of its own',
    );

    // what means something while a backup is made alone
    for (const option of ['--without-secrets', '--allow-missing-files'])
      expect(
        (await runOperator(['backup', backup, '--verify', option], { env: { DATA_DIR: original } })).code,
      ).to.equal(2);

    // killed while it tried whether the directory can be used
    await mkdir(at('begun', 'files'), { recursive: true });
    const tried = ['.tried-0123456789ab', path.join('files', '.tried-0123456789ab.2')];
    for (const name of tried) await writeFile(at('begun', name), '');
    await done(original, 'backup', at('begun'));
    expect((await readdir(at('begun'), { recursive: true })).filter((name) => name.includes('.tried'))).to.deep.equal(
      [],
    );

    // a log that was taken back
    const manifest = await readFile(at('backup', 'manifest.json'), 'utf8');
    await writeFile(at('backup', 'manifest.json'), manifest.replace(/"hash": "../, '"hash": "zz'));
    expect(await refused(original, 'backup', backup)).to.include('the log does not go on from this backup');
  });
});
