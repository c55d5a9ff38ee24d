import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { writeWholeFile } from '../../../src/cli/audit/whole-file.js';

const writing =
  (text: string, meanwhile: () => Promise<unknown> = () => Promise.resolve()) =>
  async (output: Writable): Promise<E.Either<never, string>> => {
    await pipeline(Readable.from([Buffer.from(text)]), output);
    await meanwhile();
    return E.right(text);
  };

describe('a file that is written whole or not at all', () => {
  let directory: string;
  let file: string;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'whole-file-'));
    file = path.join(directory, 'file');
  });

  afterEach(() => rm(directory, { recursive: true }));

  const found = async () =>
    Promise.all(
      (await readdir(directory)).map(async (name) => [name, await readFile(path.join(directory, name), 'utf8')]),
    );

  it('is there when all of it has been written, for its owner alone', async () => {
    let names: ReadonlyArray<string> = [];
    const written = await writeWholeFile(
      file,
      false,
      writing('text', async () => (names = await readdir(directory))),
    );
    expect(written).to.deep.equal(E.right('text'));
    expect(names).to.have.length(1).and.not.to.include('file');
    expect(await found()).to.deep.equal([['file', 'text']]);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
  });

  it('replaces another one only when it should, also one that came meanwhile', async () => {
    const other = () => writeFile(file, 'other');
    expect(await writeWholeFile(file, false, writing('text', other))).to.deep.equal(E.left({ _tag: 'FileExists' }));
    expect(await found()).to.deep.equal([['file', 'other']]);
    await writeWholeFile(file, true, writing('text'));
    expect(await found()).to.deep.equal([['file', 'text']]);
  });

  it('leaves nothing behind when it was not written', async () => {
    const refused = await writeWholeFile(file, false, (output) => {
      output.write('a part');
      output.destroy();
      return Promise.resolve(E.left('refused'));
    });
    expect([refused, await found()]).to.deep.equal([E.left('refused'), []]);
    const full = (output: Writable): Promise<E.Either<never, void>> => {
      output.write('a part');
      return Promise.reject(new Error('ENOSPC'));
    };
    const failure = await writeWholeFile(file, false, full).catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('message', 'ENOSPC');
    expect(await found()).to.deep.equal([]);
  });
});
