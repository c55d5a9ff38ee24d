import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { makeCheckpointArchive } from '../../../src/infrastructure/checkpoints/checkpoint-archive.js';
import { checkpointKey } from '../../../src/infrastructure/checkpoints/checkpoint-key.js';
import { makeKeepTimestamp } from '../../../src/infrastructure/checkpoints/timestamps.js';
import type { SignedCheckpoint } from '../../../src/read/sealed-tree.js';
import { renderSigner, signerOf } from '../../../src/seal/note-key.js';
import { timestampRequest } from '../../../src/sealing/timestamp.js';
import { appendChained, businessStream, makeChains } from '../../support/chained-events.js';
import { diskStorage } from '../../support/disk-storage.js';
import { runOperator } from '../../support/operator.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { projectLog } from '../../support/projected-log.js';
import { right } from '../../support/sealed-tree.js';
import { sealLog } from '../../support/seal-log.js';
import { tsaOfSuite } from '../../support/small-tsa.js';

const signer = right(signerOf('log.example.com', Buffer.alloc(32, 7)));

describe('the backup of a log whose checkpoints have timestamps', function () {
  this.timeout(startingPostgres);
  let directory: string;
  const tsa = tsaOfSuite();

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'ops-backup-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const stampIn = (folder: string, checkpoint: SignedCheckpoint): string => {
    const key = checkpointKey(checkpoint).replace('checkpoints/', 'checkpoints/timestamps/');
    return path.join(directory, folder, 'files', ...key.split('/'));
  };

  const answerAbout = (data: string): Buffer => tsa().reply(timestampRequest(data, randomBytes(8)));

  const ops = async (databaseUrl: string, dataDir: string, ...args: ReadonlyArray<string>) => {
    const env = {
      DATABASE_URL: databaseUrl,
      DATA_DIR: path.join(directory, dataDir),
      CHECKPOINT_KEY: renderSigner(signer),
    };
    const { code, stdout, stderr } = await runOperator([...args, '--json'], { env });
    const last = stdout.trimEnd().split('\n').at(-1) ?? '';
    // reason: docs/ops-json.md
    return { code, stderr, lines: stdout, counts: JSON.parse(last === '' ? '{}' : last) as Record<string, unknown> };
  };

  it('has them, finds one that was changed, and restores them beside their checkpoints', async () => {
    const databaseUrl = await freshDatabase();
    const { checkpoints } = await diskStorage(path.join(directory, 'data', 'files'));
    const archive = makeCheckpointArchive(checkpoints);
    const chains = makeChains();
    const recorded = async (): Promise<SignedCheckpoint> => {
      await projectLog(databaseUrl, async (store) => {
        await appendChained(store, chains, businessStream(1));
        return right(await store.head())!;
      });
      const checkpoint = await sealLog(databaseUrl, signer);
      right(await archive.put(checkpoint));
      return checkpoint;
    };
    const [first, second] = [await recorded(), await recorded()] as const;
    const answer = answerAbout(first.note);
    await makeKeepTimestamp(checkpoints)(first, answer);
    // what somebody has put there is none
    await makeKeepTimestamp(checkpoints)(second, answerAbout('something else'));

    const backup = path.join(directory, 'backup');
    const made = await ops(databaseUrl, 'data', 'backup', backup);
    expect(made.code, made.stderr).to.equal(0);
    expect(made.stderr).to.include('is not its checkpoint: the timestamp is of something else');
    expect(await readFile(stampIn('backup', first))).to.deep.equal(answer);
    // the next run, too, adds nothing and is none the worse
    expect((await ops(databaseUrl, 'data', 'backup', backup)).code).to.equal(0);
    const whole = await ops(databaseUrl, 'data', 'backup', backup, '--verify');
    expect([whole.code, whole.counts['timestamps']]).to.deep.equal([0, 1]);

    const restored = await ops(await freshDatabase(), 'other', 'restore', backup, '--replace');
    expect([restored.code, restored.counts['timestamps']], restored.stderr).to.deep.equal([0, 1]);
    expect(await readFile(stampIn('other', first))).to.deep.equal(answer);
    expect(tsa().verify(first.note, await readFile(stampIn('other', first)))).to.equal(0);

    await writeFile(stampIn('backup', first), answerAbout(second.note));
    const changed = await ops(databaseUrl, 'data', 'backup', backup, '--verify');
    expect([changed.code, changed.counts['timestamps'], changed.counts['faults']]).to.deep.equal([1, 0, 1]);
    expect(changed.lines).to.include('cannot be used');
  });
});
