import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { parse } from 'yaml';
import { parseSigner } from '../../src/seal/note-key.js';
import { needs } from '../support/needs.js';

type Service = {
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly volumes?: ReadonlyArray<string>;
  readonly mem_limit?: string;
  readonly cpus?: string | number;
};

/** A container of `docker-compose.yml`. */
type Container = {
  readonly name: string;
  readonly environment: Readonly<Record<string, string | number>>;
  readonly mounts: Mounts;
  /** Names of the volumes that it may write. */
  readonly written: ReadonlyArray<string>;
  readonly limits: ReadonlyArray<string | number | undefined>;
};

/** By the path in the container: the name of the volume. */
type Mounts = ReadonlyMap<string, string>;

/** Makes the secrets; it is the only one that sees them all. */
const MAKER = 'secrets';

const mountsOf = ({ volumes = [] }: Service): Mounts =>
  new Map(volumes.map((volume) => volume.split(':')).map(([name = '', place = '']) => [place, name]));

const containers = async (): Promise<ReadonlyArray<Container>> => {
  // reason: the file is ours, and the tests fail where it has another form
  const file = parse(await readFile('docker-compose.yml', 'utf8'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
  };
  return Object.entries(file.services).map(([name, service]) => ({
    name,
    environment: service.environment ?? {},
    mounts: mountsOf(service),
    written: (service.volumes ?? []).flatMap((volume) => (volume.endsWith(':ro') ? [] : volume.split(':').slice(0, 1))),
    limits: [service.mem_limit, service.cpus],
  }));
};

const filesBelow = async (directory: string): Promise<ReadonlyArray<string>> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
};

/** The processes of both stacks, and those of the cluster, which trust each other's rows and tokens. */
const SERVICES = ['service', 'api1', 'api2', 'projector1', 'projector2'];
const CLUSTER = ['api1', 'api2', 'projector1', 'projector2'];
const NODES = ['log1', 'log2', 'log3'];

/** By the file in which the maker keeps it: who may know it. */
const MAY_KNOW: Readonly<Record<string, ReadonlyArray<string>>> = {
  'postgres/password': ['postgres', ...SERVICES],
  'files/secret-key': ['files', ...SERVICES],
  'log/admin-password': [...NODES, ...CLUSTER],
  'service/jwt-secret': ['service'],
  'service/snapshot-key': ['service'],
  'service/link-key': ['service'],
  'service/event-key': ['service'],
  'cluster/jwt-secret': CLUSTER,
  'cluster/snapshot-key': CLUSTER,
  'cluster/link-key': CLUSTER,
  'cluster/event-key': CLUSTER,
  'seal/checkpoint-key': ['service'],
  'seal/cluster-checkpoint-key': ['projector1', 'projector2'],
  'log/log1/node.key': ['log1'],
  'log/log2/node.key': ['log2'],
  'log/log3/node.key': ['log3'],
  'ca/ca.key': [],
};

/** What a file of the maker has that nobody has to keep secret: names, certificates, and strings of the secrets above. */
const isKnown = (file: string): boolean => /^urls\/|\.crt$|\.srl$|^files\/access-key$/.test(file);

describe('the secrets of docker-compose.yml', function () {
  this.timeout(240_000);

  /** Has what the maker keeps in `kept`, and in `for` a directory for each volume that it hands out. */
  let made: string;
  let commands: string;
  let all: ReadonlyArray<Container>;
  /** By the name of the volume: the directory that stands for it. */
  let volumes: ReadonlyMap<string, string>;

  const makeSecrets = (directory = made) =>
    promisify(execFile)('sh', ['deploy/make-secrets.sh', path.join(directory, 'kept'), path.join(directory, 'for')], {
      env: { ...process.env, PATH: `${commands}:${process.env['PATH']}` },
    });

  const kept = (file: string): Promise<string> => readFile(path.join(made, 'kept', file), 'utf8');

  /** What the container would read at this path; undefined where there is no such file in it. */
  const readIn = async ({ mounts }: Container, file: string): Promise<string | undefined> => {
    for (const [place, volume] of mounts)
      if (file.startsWith(`${place}/`))
        return readFile(path.join(volumes.get(volume) ?? volume, file.slice(place.length)), 'utf8').catch(
          () => undefined,
        );
    return undefined;
  };

  /** Everything in the volumes of secrets that the container sees. */
  const seenBy = async ({ mounts }: Container): Promise<string> => {
    const directories = [...mounts.values()].flatMap((volume) => volumes.get(volume) ?? []);
    const files = (await Promise.all(directories.map(filesBelow))).flat();
    return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
  };

  const allFiles = async (): Promise<Readonly<Record<string, string>>> => {
    const files = await filesBelow(made);
    return Object.fromEntries(
      await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const)),
    );
  };

  before(async function () {
    needs(this, process.platform === 'linux', 'the commands of a Linux image');
    commands = await mkdtemp(path.join(tmpdir(), 'commands-'));
    made = await mkdtemp(path.join(tmpdir(), 'secrets-'));
    // who is not root may not give files away
    await writeFile(path.join(commands, 'chown'), '#!/bin/sh\n', { mode: 0o755 });
    await makeSecrets();
    all = await containers();
    const maker = all.find(({ name }) => name === MAKER);
    volumes = new Map(
      [...(maker?.mounts ?? [])]
        .filter(([place]) => place === '/secrets' || place.startsWith('/for/'))
        .map(([place, volume]) => [volume, path.join(made, place.replace(/^\/secrets$/, '/kept'))]),
    );
  });

  after(() => Promise.all([commands, made].map((directory) => rm(directory, { recursive: true, force: true }))));

  it('are all where the settings of each container say', async () => {
    const missing: Array<string> = [];
    for (const each of all)
      for (const [name, file] of Object.entries(each.environment))
        if (name.endsWith('_FILE') && (await readIn(each, String(file))) === undefined)
          missing.push(`${each.name}: ${name}`);
    expect(missing).to.deep.equal([]);
  });

  it('are each seen by those alone who need them', async () => {
    const seen = await Promise.all(
      all.filter(({ name }) => name !== MAKER).map(async (each) => ({ name: each.name, text: await seenBy(each) })),
    );
    const knownBy: Record<string, ReadonlyArray<string>> = {};
    for (const file of Object.keys(MAY_KNOW)) {
      const secret = (await kept(file)).trim();
      knownBy[file] = seen.filter(({ text }) => text.includes(secret)).map(({ name }) => name);
    }
    const sorted = Object.fromEntries(
      Object.entries(MAY_KNOW).map(([file, names]) => [
        file,
        all.map(({ name }) => name).filter((name) => names.includes(name)),
      ]),
    );
    expect(knownBy).to.deep.equal(sorted);
  });

  it('are all in the table of who may know them', async () => {
    const files = (await filesBelow(path.join(made, 'kept'))).map((file) =>
      path.relative(path.join(made, 'kept'), file),
    );
    expect(files.filter((file) => !isKnown(file)).sort()).to.deep.equal(Object.keys(MAY_KNOW).sort());
  });

  it('are mounted for reading alone', () => {
    const writable = all
      .filter(({ name }) => name !== MAKER)
      .flatMap(({ name, written }) => written.filter((volume) => volumes.has(volume)).map((volume) => [name, volume]));
    expect(volumes.has('seal')).to.equal(true);
    expect(writable).to.deep.equal([]);
  });

  it('give every log a key for checkpoints of its own, under a name of its own', async () => {
    const signers = await Promise.all(
      ['seal/checkpoint-key', 'seal/cluster-checkpoint-key'].map(async (file) => parseSigner(await kept(file))),
    );
    const names = signers.map((signer) => {
      if (E.isLeft(signer)) throw new Error(signer.left);
      return signer.right.verifier.name;
    });
    expect(new Set(names).size).to.equal(2);
  });

  it('can be read by their owner alone, and stay as they are when they are made again', async () => {
    const before = await allFiles();
    for (const file of await filesBelow(path.join(made, 'for')))
      expect((await stat(file)).mode & 0o777, file).to.equal(0o400);
    await makeSecrets();
    expect(await allFiles()).to.deep.equal(before);
  });

  for (const command of ['openssl', 'od'])
    it(`are not kept empty where ${command} fails, nor where an earlier version has kept them so`, async () => {
      const directory = await mkdtemp(path.join(tmpdir(), 'secrets-'));
      const failing = path.join(commands, command);
      await writeFile(failing, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
      const refused = await makeSecrets(directory).then(
        () => false,
        () => true,
      );
      await rm(failing);
      expect(refused).to.equal(true);
      for (const file of await filesBelow(directory)) expect((await stat(file)).size, file).to.be.greaterThan(0);
      const emptied = ['seal/checkpoint-key', 'postgres/password'].map((file) => path.join(directory, 'kept', file));
      for (const file of emptied) {
        await mkdir(path.dirname(file), { recursive: true });
        await writeFile(file, '');
      }
      await makeSecrets(directory);
      for (const file of emptied) expect((await stat(file)).size, file).to.be.greaterThan(0);
      expect(E.isRight(parseSigner(await readFile(emptied[0]!, 'utf8')))).to.equal(true);
      await rm(directory, { recursive: true });
    });

  it('are handed out again when they were replaced', async () => {
    for (const stack of ['service', 'cluster'])
      await writeFile(path.join(made, 'kept', stack, 'jwt-secret'), `another secret of the tokens: ${stack}`);
    await makeSecrets();
    for (const stack of ['service', 'cluster'])
      expect(await readFile(path.join(made, 'for', stack, 'jwt-secret'), 'utf8')).to.equal(
        `another secret of the tokens: ${stack}`,
      );
  });

  it('stay those of both stacks where an earlier version gave both the same', async () => {
    const before = await kept('service/event-key');
    await rm(path.join(made, 'kept/cluster'), { recursive: true });
    await makeSecrets();
    expect([await kept('service/event-key'), await kept('cluster/event-key')]).to.deep.equal([before, before]);
  });

  it('stay the same when an earlier version has made them', async () => {
    const keys = await Promise.all([kept('seal/checkpoint-key'), kept('seal/cluster-checkpoint-key')]);
    const password = await kept('postgres/password');
    const handed = path.join(made, 'for/seal');
    await rm(path.join(made, 'kept/seal'), { recursive: true });
    await rm(path.join(made, 'for'), { recursive: true });
    await mkdir(handed, { recursive: true });
    // the first version had a key where every process could read it, the second both where both stacks could
    await writeFile(path.join(made, 'kept/service/checkpoint-key'), keys[0]);
    await writeFile(path.join(handed, 'cluster-checkpoint-key'), keys[1]);
    await makeSecrets();
    expect(await Promise.all([kept('seal/checkpoint-key'), kept('seal/cluster-checkpoint-key')])).to.deep.equal(keys);
    expect(await readFile(path.join(made, 'for/postgres/password'), 'utf8')).to.equal(password);
    expect(await readdir(handed)).to.deep.equal(['checkpoint-key']);
    expect(await filesBelow(path.join(made, 'kept/service'))).not.to.include(
      path.join(made, 'kept/service/checkpoint-key'),
    );
  });
});

describe('docker-compose.yml', () => {
  it('limits the memory and the processor of every container', async () => {
    const without = (await containers()).filter(({ limits }) => limits.includes(undefined)).map(({ name }) => name);
    expect(without).to.deep.equal([]);
  });
});
