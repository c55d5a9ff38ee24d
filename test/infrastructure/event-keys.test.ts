import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { makeEventKey } from '../../src/event-sourcing/event-key.js';
import { sharedEventKeys } from '../../src/infrastructure/event-keys.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const [newer, older] = ['one event key of at least 32 bytes', 'another event key of at least 32 bytes'];

describe('the event keys of a service', () => {
  let dataDir: string;
  let file: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'event-keys-'));
    file = path.join(dataDir, 'event-key');
  });

  afterEach(() => rm(dataDir, { recursive: true }));

  const idsOf = async (settings: Partial<Parameters<typeof sharedEventKeys>[1]>) => {
    const keys = await sharedEventKeys(systemRuntime.random, {
      dataDir,
      eventKeys: undefined,
      databaseUrl: undefined,
      ...settings,
    });
    if (E.isLeft(keys)) throw keys.left;
    return keys.right.map(({ id }) => id);
  };

  const idOf = (secret: string): string => makeEventKey(secret).id;

  it('are those that are configured, in their order, on whatever database', async () => {
    const eventKeys = [newer, older];
    expect(await idsOf({ eventKeys })).to.deep.equal([idOf(newer), idOf(older)]);
    expect(await idsOf({ eventKeys, databaseUrl: 'postgres://db/app' })).to.deep.equal([idOf(newer), idOf(older)]);
  });

  it('are one in the data directory of an embedded Postgres, which only its owner may read', async () => {
    const ids = await idsOf({});
    expect(ids).to.deep.equal([idOf(await readFile(file, 'utf8'))]);
    expect(await idsOf({})).to.deep.equal(ids);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
  });

  it('are those that somebody has added to that file', async () => {
    await writeFile(file, `# since May\n${newer}\n${older}\n`);
    expect(await idsOf({})).to.deep.equal([idOf(newer), idOf(older)]);
  });

  it('are none on a database of others without a setting: other processes could not check them', async () => {
    expect(await idsOf({ databaseUrl: 'postgres://db/app' })).to.deep.equal([]);
  });

  it('are not taken from a file that has none', async () => {
    await writeFile(file, 'short\n');
    const keys = await sharedEventKeys(systemRuntime.random, { dataDir, eventKeys: undefined, databaseUrl: undefined });
    expect(E.isLeft(keys) && keys.left.message).to.equal(
      `${file}: expected one key a line, the newest first, each once and of at least 32 bytes`,
    );
  });
});
