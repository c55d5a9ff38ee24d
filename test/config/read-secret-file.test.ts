import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { readSecretFile } from '../../src/config/read-secret-file.js';
import { withSecretFiles } from '../../src/config/secret-files.js';
import { needs } from '../support/needs.js';

describe('reading the file of a secret', () => {
  let directory: string;
  let file: string;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'secret-'));
    file = path.join(directory, 'secret');
  });
  afterEach(() => rm(directory, { recursive: true }));

  const read = (JWT_SECRET_FILE: string) => withSecretFiles({ JWT_SECRET_FILE }, readSecretFile);
  const refused = (fault: string) => E.left([`JWT_SECRET_FILE: the file it names ${fault}`]);
  const taken = (secret: string, from = file) => E.right({ JWT_SECRET_FILE: from, JWT_SECRET: secret });

  it('takes text, whatever editor has written it', async () => {
    for (const text of ['se crét', 'se crét\n', 'se crét\r\n', '\uFEFFse crét\r\n']) {
      await writeFile(file, text);
      expect(read(file)).to.deep.equal(taken('se crét'));
    }
  });

  it('refuses bytes that are no text, which nobody else would take for the same secret', async () => {
    await writeFile(file, Buffer.from('fffe73006500', 'hex'));
    expect(read(file)).to.deep.equal(
      refused('has bytes that are not UTF-8: write the secret as text, for example in Base64'),
    );
  });

  it('refuses a directory, and what is larger than any secret or has no end', async () => {
    expect(read(directory)).to.deep.equal(refused('cannot be read'));
    await writeFile(file, 'x'.repeat(1024 * 1024));
    expect(E.isRight(read(file))).to.equal(true);
    for (const size of [1024 * 1024 + 1, 3 * 1024 ** 3]) {
      await truncate(file, size);
      expect(read(file)).to.deep.equal(refused('is larger than 1 MiB'));
    }
  });

  it('does not wait for a named pipe that nobody writes into, and waits for what somebody writes', function () {
    needs(this, process.platform !== 'win32', 'named pipes');
    execFileSync('mkfifo', [file]);
    expect(read(file)).to.deep.equal(refused('is empty'));
    // both ends are open before the program begins, however late that is
    const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(file, 'w');
    spawn('sh', ['-c', "sleep 0.3; printf 'a '; sleep 0.3; echo secret"], { stdio: ['ignore', writer, 'ignore'] });
    closeSync(writer);
    expect(read(file)).to.deep.equal(taken('a secret'));
    closeSync(reader);
  });

  it('refuses a device without an end', function () {
    needs(this, process.platform === 'linux', '/dev/zero');
    expect(read('/dev/zero')).to.deep.equal(refused('is larger than 1 MiB'));
  });
});
