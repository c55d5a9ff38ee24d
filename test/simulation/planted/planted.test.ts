import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import ts from 'typescript';
import { editedFiles } from './copy.js';
import { makeFinder } from './find-fault.js';
import { applyEdit } from './planted-fault.js';
import { plantedFaults } from './planted-faults.js';

const run = promisify(execFile);

/** What is no TypeScript in a text. */
const faultsOfSyntax = (text: string): ReadonlyArray<unknown> =>
  (ts.transpileModule(text, { reportDiagnostics: true }).diagnostics ?? []).map(({ messageText }) => messageText);

const IN_PRODUCT = /^(src|projections)\//;
const IN_SQL = /^(src\/infrastructure|projections\/engine)\/postgres\//;

describe('planted faults', function () {
  this.timeout(180_000);

  it('have names of their own, and change the product alone: SQL where the simulation runs over Postgres', () => {
    const names = plantedFaults.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    for (const { name, edits, given = [], store } of plantedFaults) {
      expect(name).to.match(/^[a-z]+(-[a-z]+)+$/);
      const files = [...given, ...edits].map(({ file }) => file);
      expect(files.filter((file) => !IN_PRODUCT.test(file))).to.deep.equal([]);
      expect(store === 'postgres', name).to.equal(edits.some(({ file }) => IN_SQL.test(file)));
    }
  });

  for (const { name, edits, given = [] } of plantedFaults)
    it(`have their places: ${name}`, async () => {
      const [faulty, sound] = [await editedFiles([...given, ...edits]), await editedFiles(given)];
      if (E.isLeft(faulty)) expect.fail(faulty.left);
      if (E.isLeft(sound)) expect.fail(sound.left);
      expect(faulty.right).not.to.deep.equal(sound.right);
      for (const text of faulty.right.values()) expect(faultsOfSyntax(text)).to.deep.equal([]);
    });

  it('say so where their place is not there, or is there twice', () => {
    const edit = { file: 'a.ts', is: 'b', becomes: 'c' };
    expect(applyEdit('abd', edit)).to.deep.equal(E.right('acd'));
    expect(applyEdit('ad', edit)).to.deep.equal(E.left('a.ts has no longer: b'));
    expect(applyEdit('abbd', edit)).to.deep.equal(E.left('a.ts has 2 times: b'));
  });

  it('are named by a command', async () => {
    const { stdout } = await run('npm', ['run', '-s', 'simulate:planted', '--', '--list']);
    expect(stdout).to.equal(plantedFaults.map(({ name, harm }) => `${name}: ${harm}\n`).join(''));
  });

  it('are found by a seed that is sound without them', async () => {
    const fault = plantedFaults.find(({ name }) => name === 'as-of-a-revision-one-early');
    if (fault === undefined) expect.fail('it is no longer planted');
    const finder = await makeFinder();
    try {
      expect(await finder.find(fault, 1, 10)).to.include({ _tag: 'Found' });
    } finally {
      finder.remove();
    }
  });
});
