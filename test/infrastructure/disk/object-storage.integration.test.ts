import { randomUUID } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { objectStorageContract } from '../../contract/object-storage.contract.js';
import { diskStorage } from '../../support/disk-storage.js';
import { replaceOnFileHandles } from '../../support/failing-disk.js';

/** Holds back every write until the function it gives is called. */
const stall = async (): Promise<() => void> => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const restore = await replaceOnFileHandles('writeFile', (write) => released.then(write));
  return () => {
    restore();
    release();
  };
};

objectStorageContract('disk', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'disk-storage-'));
  return {
    storage: await diskStorage(root),
    stall,
    takeAway: async () => {
      await rename(root, `${root}-away`);
      return () => rename(`${root}-away`, root);
    },
    abandonUpload: () => writeFile(path.join(root, 'unfinished', randomUUID()), 'half of it'),
    heldBytes: 256 * 1024,
    close: () => rm(root, { recursive: true }),
  };
});
