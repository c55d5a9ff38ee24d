import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { createFirst } from '../../../src/infrastructure/disk/durable-files.js';
import { errorCode } from '../../../src/infrastructure/error-code.js';
import { replaceOnFileHandles, systemError } from '../../support/failing-disk.js';
import { needs } from '../../support/needs.js';
import { mountSmallDisk, MOUNTING } from '../../support/small-disk.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

describe('a file that several processes may create at once', () => {
  it('leaves nothing behind on a full disk, and is made when there is room', async function () {
    const disk = mountSmallDisk(1);
    needs(this, disk !== undefined, MOUNTING);
    try {
      const directory = path.join(disk!.directory, 'keys');
      await mkdir(directory);
      await disk!.fill();
      const failure: unknown = await createFirst(systemRuntime.random, path.join(directory, 'key'), 'text').catch(
        (error: unknown) => error,
      );
      expect(errorCode(failure)).to.equal('ENOSPC');
      expect(await readdir(directory)).to.deep.equal([]);
      await disk!.makeRoom();
      expect(await createFirst(systemRuntime.random, path.join(directory, 'key'), 'text')).to.equal(true);
      expect(await readdir(directory)).to.deep.equal(['key']);
      expect(await readFile(path.join(directory, 'key'), 'utf8')).to.equal('text');
    } finally {
      disk!.unmount();
    }
  });

  it('is not there for sure before its name is durable', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'durable-files-'));
    const file = path.join(directory, 'key');
    const restore = await replaceOnFileHandles('sync', (sync) =>
      existsSync(file) ? Promise.reject(systemError('EIO')) : sync(),
    );
    try {
      const failure: unknown = await createFirst(systemRuntime.random, file, 'text').catch((error: unknown) => error);
      expect(errorCode(failure)).to.equal('EIO');
      expect(await readdir(directory)).to.deep.equal(['key']);
    } finally {
      restore();
      await rm(directory, { recursive: true });
    }
  });
});
