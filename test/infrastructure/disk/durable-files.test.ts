import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { createFirst } from '../../../src/infrastructure/disk/durable-files.js';
import { errorCode } from '../../../src/infrastructure/error-code.js';
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
});
