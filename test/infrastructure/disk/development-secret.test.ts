import { chown, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { developmentSecret, embeddedEventKeys } from '../../../src/infrastructure/disk/development-secret.js';
import { needs } from '../../support/needs.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

describe('development secret', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'secret-'));
  });

  afterEach(() => rm(directory, { recursive: true }));

  it('is one and the same for everyone who asks at once, and later', async () => {
    const dataDir = path.join(directory, 'not', 'there', 'yet');
    const asked = await Promise.all(Array.from({ length: 20 }, () => developmentSecret(systemRuntime.random, dataDir)));
    const later = await developmentSecret(systemRuntime.random, dataDir);
    expect(new Set([...asked, later]).size).to.equal(1);
    expect(Buffer.byteLength(later)).to.be.greaterThan(31);
  });

  it('is readable by its owner alone and leaves nothing else behind', async () => {
    await developmentSecret(systemRuntime.random, directory);
    expect(await readdir(directory)).to.deep.equal(['jwt-secret']);
    expect((await stat(path.join(directory, 'jwt-secret'))).mode & 0o777).to.equal(0o600);
  });

  it('is refused where somebody else has put it, and taken from the owner of the directory', async function () {
    needs(this, process.getuid?.() === 0, 'root, who can give files away');
    for (const [name, read] of [
      ['jwt-secret', developmentSecret],
      ['event-key', embeddedEventKeys],
    ] as const) {
      const file = path.join(directory, name);
      await writeFile(file, 'known to uid 12345 alone');
      await chown(file, 12_345, 12_345);
      const refused = await read(systemRuntime.random, directory).catch((cause: unknown) => cause);
      expect(String(refused))
        .to.include(`${name} in it belongs to uid 12345`)
        .and.not.to.include('known to uid 12345 alone');
      await chown(directory, 12_345, 12_345);
      expect(await read(systemRuntime.random, directory)).to.equal('known to uid 12345 alone');
      await chown(directory, 0, 0);
    }
  });

  it('differs from directory to directory', async () => {
    const other = path.join(directory, 'other');
    expect(await developmentSecret(systemRuntime.random, directory)).not.to.equal(
      await developmentSecret(systemRuntime.random, other),
    );
  });
});
