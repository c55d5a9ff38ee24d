import { mkdir, mkdtemp, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { makeCheckpointArchive } from '../../../src/infrastructure/checkpoints/checkpoint-archive.js';
import { checkpointKey } from '../../../src/infrastructure/checkpoints/checkpoint-key.js';
import { checkpointArchiveContract } from '../../contract/checkpoint-archive.contract.js';
import { checkpointOf } from '../../support/checkpoints.js';
import { diskStorage } from '../../support/disk-storage.js';
import { replaceOnFileHandles, systemError } from '../../support/failing-disk.js';
import { filesBelow } from '../../support/files-below.js';

const fileOf = (root: string, key: string): string => path.join(root, ...key.split('/'));

checkpointArchiveContract('disk', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'checkpoints-'));
  return {
    storage: await diskStorage(root),
    plant: async (key, content) => {
      const file = fileOf(root, key);
      await mkdir(path.dirname(file), { recursive: true });
      await rm(file, { force: true });
      await writeFile(file, content);
    },
    takeBack: (key) => rm(fileOf(root, key)),
    isLocked: false,
    takeAway: async () => {
      await rename(root, `${root}-away`);
      return () => rename(`${root}-away`, root);
    },
    close: () => rm(root, { recursive: true }),
  };
});

describe('checkpoints on disk', () => {
  let root: string;
  const origin = 'disk.example';
  beforeEach(async () => (root = await mkdtemp(path.join(tmpdir(), 'checkpoints-'))));
  afterEach(() => rm(root, { recursive: true }));

  it('are read-only files that hold the signed note', async () => {
    const archive = makeCheckpointArchive((await diskStorage(root)).checkpoints);
    expect(await archive.put(checkpointOf(origin, 1_234_567))).to.deep.equal(E.right(undefined));
    const file = fileOf(root, checkpointKey({ origin, size: 1_234_567 }));
    expect(file.slice(root.length)).to.match(/^\/checkpoints\/[0-9a-f]{32}\/0000\/0000\/0123\/4567$/);
    expect((await stat(file)).mode & 0o777).to.equal(0o444);
    expect(await filesBelow(root)).to.deep.equal(['4567']);
  });

  it('are stored whole or not at all', async () => {
    const archive = makeCheckpointArchive((await diskStorage(root)).checkpoints);
    for (const [call, code] of [
      ['writeFile', 'ENOSPC'],
      ['sync', 'EIO'],
    ] as const) {
      const restore = await replaceOnFileHandles(call, () => Promise.reject(systemError(code)));
      const outcome = await archive.put(checkpointOf(origin, 5));
      restore();
      expect(E.isLeft(outcome), code).to.equal(true);
      expect(await filesBelow(root), code).to.deep.equal([]);
    }
  });

  it('do not follow a link that somebody has put there', async () => {
    const archive = makeCheckpointArchive((await diskStorage(root)).checkpoints);
    const [real, link] = [path.join(root, 'elsewhere'), fileOf(root, checkpointKey({ origin, size: 9 }))];
    await writeFile(real, checkpointOf(origin, 9).note);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(real, link);
    expect(await archive.largestOf(origin, -1)).to.deep.equal(E.right(undefined));
  });
});
