import { expect } from 'chai';
import fc from 'fast-check';
import { membersOf } from './audit-pack.js';
import { draw } from './draw.js';
import { needs } from './needs.js';
import { hasPython } from './python.js';
import { askBothVerifiers, mutatedPack } from './structural-mutants.js';
import { hasProgram, UNZIP_TOOLS, unpacked } from './unzip-tools.js';
import { startVerifyPy, type VerifyPy } from './verify-py.js';

/** Both verifiers, and what other programs unpack of what they verified, on so many mutants of each family. */
export const describeStructuralMutants = (ofEach: number): void => {
  let python: VerifyPy;
  let accepted: ReadonlyArray<Buffer> = [];

  before(async function () {
    needs(this, hasPython(), 'python3, in which a verifier is written');
    python = await startVerifyPy();
  });
  after(async () => {
    if (hasPython()) await python.stop();
  });

  it('have one verdict, in the same words', async () => {
    const outcome = await askBothVerifiers(python, ofEach, draw(fc.nat()));
    ({ accepted } = outcome);
    expect(outcome.disagreements).to.deep.equal([]);
    expect(Object.values(outcome.counts)).to.deep.equal(Array.from({ length: 10 }, () => ofEach));
    // members that were deflated in another way
    expect(accepted).not.to.deep.equal([]);
  });

  for (const { name, program, command } of UNZIP_TOOLS)
    it(`are unpacked as they were verified, where one verifier takes them: ${name}`, async function () {
      needs(this, hasProgram(program), `${program}, with which people unpack`);
      const members = await membersOf(await mutatedPack());
      expect(accepted).not.to.deep.equal([]);
      for (const zip of accepted) {
        const files = await unpacked(command, await python.file('accepted.zip', zip));
        expect([...files.keys()].toSorted()).to.deep.equal([...members.keys()].toSorted());
        for (const [file, content] of files) expect(content.equals(members.get(file)!), file).to.equal(true);
      }
    });
};
