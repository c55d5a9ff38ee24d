import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type Api, makeApi } from '../../support/api.js';
import { type ComposedService, startComposed } from '../../support/composed-service.js';
import { encryptedInstallation } from '../../support/encrypted-installation.js';
import { documentFilesIn } from '../../support/files-below.js';
import { outputOfOperator, runOperator } from '../../support/operator.js';
import { startingPostgres } from '../../support/postgres.js';
import { tokenFor } from '../../support/service-process.js';
import { uploadDocument } from '../../support/upload-document.js';

type Shown = { readonly _id: string };

describe('a backup of an encrypted log', function () {
  this.timeout(startingPostgres * 8);
  let home: string;
  let env: Record<string, string>;
  let service: ComposedService;
  let api: Api;

  const installation = (name: string) => encryptedInstallation(path.join(home, name));

  const start = async (of: Record<string, string>): Promise<void> => {
    service = await startComposed({ dataDir: of['DATA_DIR'] ?? '', env: of });
    api = makeApi(service.address, await tokenFor('admin', 'alice'));
  };

  const upload = (text: string): Promise<string> => uploadDocument(service.address, text, text);

  const ops = (of: Record<string, string>, ...args: ReadonlyArray<string>) => outputOfOperator(args, of);

  before(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'encrypted-backup-'));
    env = await installation('first');
    await start(env);
  });

  after(async () => {
    await service.stop();
    await rm(home, { recursive: true });
  });

  it('has nothing in clear but its files, is restored whole, and forgets what is erased', async () => {
    const { _id: kept } = await api.json<Shown>('POST', '/business', { name: 'Kept-MARKER' });
    const { _id: gone } = await api.json<Shown>('POST', '/business', { name: 'Gone-MARKER' });
    const [document, passport] = [await upload('deed'), await upload('passport')];
    const history = await api.json('GET', `/business/${kept}/events?proof=true`);
    const directory = path.join(home, 'backup');

    await ops(env, 'backup', directory);
    expect(await ops(env, 'backup', directory, '--verify')).to.include('all whole');
    const events = gunzipSync(await readFile(path.join(directory, 'log', '00000001.ndjson.gz'))).toString();
    expect([events.includes('$encrypted'), events.includes('MARKER')]).to.deep.equal([true, false]);
    const without = await runOperator(['backup', directory, '--verify'], { env: { DATA_DIR: home } });
    expect([without.code, without.stderr]).to.satisfy(
      ([code, text]: [number, string]) => code === 1 && text.includes('no line of ERASURE_KEY opens the keys'),
    );

    const restored = await installation('second');
    await ops(restored, 'restore', directory, '--replace');
    await service.stop();
    await start(restored);
    expect(await api.json('GET', `/business/${kept}/events?proof=true`)).to.deep.equal(history);
    for (const id of [document, passport]) expect((await api.send('GET', `/document/${id}/file`)).status).to.equal(200);

    // the next run of the same directory, and one that was made before the erasure with the keys from before
    const key = await readFile(path.join(directory, 'secrets', 'key-tree'), 'utf8');
    await service.stop();
    await start(env);
    for (const subject of [`business/${gone}`, `document/${passport}`])
      await ops(env, 'erase', 'run', subject, '--basis', 'ticket 1', '--yes');
    await ops(env, 'backup', directory);
    expect(await readFile(path.join(directory, 'secrets', 'key-tree'), 'utf8')).not.to.equal(key);
    expect((await documentFilesIn(directory)).length).to.equal(1);
    expect(await ops(env, 'backup', directory, '--verify')).to.include('all whole');

    const third = await installation('third');
    await ops(third, 'restore', directory, '--replace');
    await service.stop();
    await start(third);
    expect((await api.send('GET', `/business/${gone}`)).status).to.equal(404);
    expect(JSON.stringify(await api.json('GET', `/business/${gone}/events`))).not.to.include('MARKER');
    expect(await ops(third, 'log', 'verify')).to.include('erased');
    expect((await api.send('GET', `/document/${document}/file`)).status).to.equal(200);
  });
});
