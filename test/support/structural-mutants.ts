import fc from 'fast-check';
import { makePackedLog, packOf } from './audit-pack.js';
import { PACK_KEY } from './bad-packs.js';
import { loadVerifyPage } from './verify-page.js';
import { keyChange } from './key-changes.js';
import { signerNamed } from './sealed-log.js';
import type { VerifyPy } from './verify-py.js';
import { ZIP_MUTATIONS } from './zip-mutants.js';
import { partsOf } from './zip-parts.js';

/** What became of ZIPs that were changed around their contents. */
type Outcome = {
  /** How many of each family there were. */
  readonly counts: Readonly<Record<string, number>>;
  /** Of which the verifiers did not say the same, word for word. */
  readonly disagreements: ReadonlyArray<string>;
  /** Those that one of them verified, each once. */
  readonly accepted: ReadonlyArray<Buffer>;
};

/** The pack of which the mutants are made: it has every member that a pack may have. */
export const mutatedPack = (): Promise<Buffer> => {
  const log = makePackedLog();
  const next = signerNamed(log.signer.verifier.name, 'the next key');
  return packOf(log.sources({ timestamp: Buffer.from('an answer'), keyChanges: keyChange(log.signer, next, 500) }));
};

/**
 * Asks both verifiers of so many mutants of a pack, the page by its script. The same seed makes the same mutants. Throws
 * where a verifier fails in place of saying what is wrong.
 */
export const askBothVerifiers = async (python: VerifyPy, ofEach: number, seed: number): Promise<Outcome> => {
  const parts = partsOf(await mutatedPack());
  const askPage = loadVerifyPage();
  const counts: Record<string, number> = {};
  const disagreements: Array<string> = [];
  const accepted = new Map<string, Buffer>();
  for (const [family, mutation] of Object.entries(ZIP_MUTATIONS))
    for (const [number, mutate] of fc.sample(mutation, { seed, numRuns: ofEach }).entries()) {
      const zip = mutate(parts);
      const page = await askPage(zip, PACK_KEY);
      const { code, out, error } = await python.run('pack', await python.file('mutant.zip', zip), '--key', PACK_KEY);
      const said = page.verified
        ? { code: 0, out: `${page.said}\n`, error: '' }
        : { code: 1, out: '', error: `NOT VERIFIED: ${page.said}\n` };
      if (code !== said.code || out !== said.out || error !== said.error)
        disagreements.push(
          `${family} ${number}: verify.py says "${out}${error}", verify.html says "${said.out}${said.error}"`,
        );
      if (code === 0 || page.verified) accepted.set(zip.toString('base64'), zip);
      counts[family] = (counts[family] ?? 0) + 1;
    }
  return { counts, disagreements, accepted: [...accepted.values()] };
};
