import { chmod, chown, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { either as E } from 'fp-ts';
import { expect } from 'chai';
import { withSecretFiles } from '../../src/config/secret-files.js';
import { needs } from '../support/needs.js';

const uid = process.getuid?.();

describe('whose the file of a secret is', () => {
  let directory: string;
  let file: string;

  beforeEach(async function () {
    needs(this, uid !== undefined, 'owners of files, which Windows does not have');
    directory = await mkdtemp(path.join(tmpdir(), 'owners-'));
    file = path.join(directory, 'secret');
    await writeFile(file, 'a secret', { mode: 0o600 });
  });
  afterEach(() => rm(directory, { recursive: true }));

  const read = (JWT_SECRET_FILE = file, as = uid) =>
    withSecretFiles({ JWT_SECRET_FILE }, (name) => readFileSync(name, 'utf8'), statSync, as);

  const writable = E.left([
    'JWT_SECRET_FILE: others than its owner can write the file it names; take that from them: chmod go-w',
  ]);

  for (const mode of [0o620, 0o602, 0o666])
    it(`is refused when others can write it: ${mode.toString(8)}`, async () => {
      await chmod(file, mode);
      expect(read()).to.deep.equal(writable);
    });

  for (const mode of [0o400, 0o440, 0o444, 0o600, 0o644])
    it(`is taken when only its owner can write it: ${mode.toString(8)}`, async () => {
      await chmod(file, mode);
      expect(E.isRight(read())).to.equal(true);
    });

  it('is that of the file which links lead to, as Kubernetes makes them', async () => {
    await symlink('secret', path.join(directory, '..data'));
    await symlink('..data', path.join(directory, 'linked'));
    expect(E.isRight(read(path.join(directory, 'linked')))).to.equal(true);
    await chmod(file, 0o666);
    expect(read(path.join(directory, 'linked'))).to.deep.equal(writable);
  });

  it('is refused when it belongs to neither the account of the process nor root', async function () {
    needs(this, uid === 0, 'root');
    expect(E.isRight(read(file, 1000))).to.equal(true);
    await chown(file, 1000, 1000);
    expect(E.isRight(read(file, 1000))).to.equal(true);
    for (const as of [0, 1001])
      expect(read(file, as)).to.deep.equal(
        E.left([
          `JWT_SECRET_FILE: the file it names belongs to uid 1000; give it to uid ${as}, which this process runs as, or to root`,
        ]),
      );
  });
});
