import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { parse } from 'yaml';
import { parseSigner } from '../../src/seal/note-key.js';
import { needs } from '../support/needs.js';

type Service = {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: ReadonlyArray<string>;
};

type Process = {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly mounts: Mounts;
};

/** By the path in the container: the name of the volume. */
type Mounts = ReadonlyMap<string, string>;

const mountsOf = ({ volumes = [] }: Service): Mounts =>
  new Map(volumes.map((volume) => volume.split(':')).map(([name = '', place = '']) => [place, name]));

/** The containers of `docker-compose.yml` that run this program. */
const processes = async (): Promise<ReadonlyArray<Process>> => {
  // reason: the file is ours, and the tests fail where it has another form
  const file = parse(await readFile('docker-compose.yml', 'utf8'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
  };
  return Object.entries(file.services)
    .filter(([, { image }]) => image === 'business-document-service')
    .map(([name, service]) => ({ name, environment: service.environment ?? {}, mounts: mountsOf(service) }));
};

const isApi = ({ environment }: Process): boolean => environment['API_ONLY'] === 'true';

const filesBelow = async (directory: string): Promise<ReadonlyArray<string>> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
};

describe('the secrets of docker-compose.yml', () => {
  /** Has a directory for each volume, by its name. */
  let volumes: string;
  let commands: string;
  const made: Array<string> = [];

  const makeSecrets = () =>
    promisify(execFile)(
      'sh',
      ['deploy/make-secrets.sh', ...['secrets', 'seal'].map((name) => path.join(volumes, name))],
      { env: { ...process.env, PATH: `${commands}:${process.env['PATH']}` } },
    );

  /** What the container would read at this path; undefined where there is no such file in it. */
  const readIn = async ({ mounts }: Process, file: string): Promise<string | undefined> => {
    for (const [place, volume] of mounts)
      if (file.startsWith(`${place}/`))
        return readFile(path.join(volumes, volume, file.slice(place.length)), 'utf8').catch(() => undefined);
    return undefined;
  };

  const allFiles = async (): Promise<Readonly<Record<string, string>>> => {
    const files = await filesBelow(volumes);
    return Object.fromEntries(
      await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const)),
    );
  };

  before(async function () {
    needs(this, process.platform === 'linux', 'the commands of a Linux image');
    commands = await mkdtemp(path.join(tmpdir(), 'commands-'));
    volumes = await mkdtemp(path.join(tmpdir(), 'volumes-'));
    made.push(commands, volumes);
    // who is not root may not give files away
    await writeFile(path.join(commands, 'chown'), '#!/bin/sh\n', { mode: 0o755 });
    await makeSecrets();
  });

  after(() => Promise.all(made.map((directory) => rm(directory, { recursive: true, force: true }))));

  it('are all where the settings of each process say', async () => {
    const missing: Array<string> = [];
    for (const each of await processes())
      for (const [name, file] of Object.entries(each.environment))
        if (name.endsWith('_FILE') && (await readIn(each, file)) === undefined) missing.push(`${each.name}: ${name}`);
    expect(missing).to.deep.equal([]);
  });

  it('give no API a key that signs checkpoints, neither as a setting nor as a file', async () => {
    const apis = (await processes()).filter(isApi);
    expect(apis.map(({ name }) => name)).to.deep.equal(['api1', 'api2']);
    for (const { name, environment, mounts } of apis) {
      expect(environment, name).not.to.have.any.keys('CHECKPOINT_KEY', 'CHECKPOINT_KEY_FILE');
      const seen = (
        await Promise.all([...mounts.values()].map((volume) => filesBelow(path.join(volumes, volume))))
      ).flat();
      expect(seen, name).not.to.deep.equal([]);
      const keys: Array<string> = [];
      for (const file of seen) if ((await readFile(file, 'utf8')).includes('PRIVATE+KEY+')) keys.push(file);
      expect(keys, name).to.deep.equal([]);
    }
  });

  it('give every process that projects a key, and each log one of its own under a name of its own', async () => {
    const names = new Map<string, Set<string>>();
    for (const each of (await processes()).filter((process) => !isApi(process))) {
      const signer = parseSigner((await readIn(each, each.environment['CHECKPOINT_KEY_FILE'] ?? '')) ?? '');
      if (E.isLeft(signer)) throw new Error(`${each.name}: ${signer.left}`);
      const log = each.environment['EVENTSTOREDB_URL_FILE'] ?? '';
      const { name, id } = signer.right.verifier;
      names.set(log, (names.get(log) ?? new Set()).add(`${name}+${id}`));
    }
    const ofLogs = [...names.values()].map((keys) => [...keys]);
    expect(ofLogs.map(({ length }) => length)).to.deep.equal([1, 1]);
    expect(new Set(ofLogs.flat().map((key) => key.split('+')[0])).size).to.equal(2);
  });

  it('can be read by their owner alone, and stay as they are when they are made again', async () => {
    const before = await allFiles();
    for (const name of ['checkpoint-key', 'cluster-checkpoint-key'])
      expect((await stat(path.join(volumes, 'seal', name))).mode & 0o777, name).to.equal(0o400);
    await makeSecrets();
    expect(await allFiles()).to.deep.equal(before);
  });

  it('move the key that an earlier version put where the APIs can read it', async () => {
    const [older, newer] = [path.join(volumes, 'secrets/service'), path.join(volumes, 'seal')].map((directory) =>
      path.join(directory, 'checkpoint-key'),
    ) as [string, string]; // reason: `map` forgets that there are two
    const key = await readFile(newer, 'utf8');
    await mkdir(path.dirname(older), { recursive: true });
    await cp(newer, older);
    await rm(newer);
    await makeSecrets();
    expect(await readFile(newer, 'utf8')).to.equal(key);
    expect(await filesBelow(path.dirname(older))).not.to.include(older);
  });
});
