import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { developmentSecret } from '../../../src/infrastructure/disk/development-secret.js';

describe('development secret', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'secret-'));
  });

  afterEach(() => rm(directory, { recursive: true }));

  it('is one and the same for everyone who asks at once, and later', async () => {
    const dataDir = path.join(directory, 'not', 'there', 'yet');
    const asked = await Promise.all(Array.from({ length: 20 }, () => developmentSecret(dataDir)));
    const later = await developmentSecret(dataDir);
    expect(new Set([...asked, later]).size).to.equal(1);
    expect(Buffer.byteLength(later)).to.be.greaterThan(31);
  });

  it('is readable by its owner alone and leaves nothing else behind', async () => {
    await developmentSecret(directory);
    expect(await readdir(directory)).to.deep.equal(['jwt-secret']);
    expect((await stat(path.join(directory, 'jwt-secret'))).mode & 0o777).to.equal(0o600);
  });

  it('differs from directory to directory', async () => {
    const other = path.join(directory, 'other');
    expect(await developmentSecret(directory)).not.to.equal(await developmentSecret(other));
  });
});
