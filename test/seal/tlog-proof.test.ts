import { expect } from 'chai';
import { either as E } from 'fp-ts';
import * as fc from 'fast-check';
import { signCheckpoint } from '../../src/seal/checkpoint.js';
import { signerOf } from '../../src/seal/note-key.js';
import { proveInclusion } from '../../src/seal/proofs.js';
import { parseTlogProof, renderTlogProof, type TlogProof, verifyTlogProof } from '../../src/seal/tlog-proof.js';
import { leafDataOf, right, treeOf } from '../support/sealed-tree.js';

const ours = right(signerOf('log.example/a', leafDataOf('key', 0)));
const known = [ours.verifier];
const SIZE = 300;
const { leaves, root, read } = treeOf('tlog-proof', SIZE);
const checkpoint = right(signCheckpoint({ size: SIZE, root }, ours));

const proofOf = async (index: number): Promise<TlogProof> => ({
  index,
  hashes: right(await proveInclusion(index, SIZE, read)),
  checkpoint,
});

const verify = (proof: string | Uint8Array, index = 77) => verifyTlogProof(leaves[index]!, Buffer.from(proof), known);

describe('a tlog proof', () => {
  let text = '';

  before(async () => {
    text = renderTlogProof(await proofOf(77));
  });

  it('has the form of its specification', async () => {
    const { hashes } = await proofOf(77);
    expect(text).to.equal(
      `c2sp.org/tlog-proof@v1\nindex 77\n${hashes.map((hash) => `${hash.toString('base64')}\n`).join('')}\n${checkpoint}`,
    );
  });

  it('proves the place of every leaf', async () => {
    for (let index = 0; index < SIZE; index += 7) {
      const proof = renderTlogProof(await proofOf(index));
      const expected = { index, checkpoint: { origin: ours.verifier.name, size: SIZE, root } };
      expect(verify(proof, index)).to.deep.equal(E.right(expected));
    }
  });

  it('needs no hash in a tree of one leaf', () => {
    const one = treeOf('tlog-proof', 1);
    const head = right(signCheckpoint({ size: 1, root: one.root }, ours));
    const proof = renderTlogProof({ index: 0, hashes: [], checkpoint: head });
    expect(proof).to.equal(`c2sp.org/tlog-proof@v1\nindex 0\n\n${head}`);
    expect(E.isRight(verify(proof, 0))).to.equal(true);
  });

  it('carries further data, which nothing vouches for', async () => {
    const extra = Buffer.from('more');
    const proof = { ...(await proofOf(77)), extra };
    const withExtra = renderTlogProof(proof);
    expect(withExtra.split('\n')[1]).to.equal('extra bW9yZQ==');
    expect(parseTlogProof(Buffer.from(withExtra))).to.deep.equal(E.right(proof));
    expect(E.isRight(verify(withExtra.replace('bW9yZQ==', 'bGVzcw==')))).to.equal(true);
    expect(renderTlogProof({ ...proof, extra: Buffer.alloc(0) })).to.equal(text);
  });

  it('is of its own leaf alone', () => {
    for (let index = 0; index < SIZE; index += 1)
      if (index !== 77)
        expect(verify(text, index)).to.deep.equal(
          E.left('the proof does not lead from the leaf to the root of the checkpoint'),
        );
  });

  it('is not believed without the key', () => {
    const stranger = right(signerOf('log.example/a', leafDataOf('key', 1)));
    expect(verifyTlogProof(leaves[77]!, Buffer.from(text), [stranger.verifier])).to.deep.equal(
      E.left('no known key has signed the note'),
    );
  });

  it('proves nothing with any one byte changed, added or left out', () => {
    const bytes = Buffer.from(text);
    const change = fc.record({ at: fc.nat(bytes.length - 1), by: fc.nat(255), drop: fc.nat(1), add: fc.nat(1) });
    fc.assert(
      fc.property(change, ({ at, by, drop, add }) => {
        const changed = Buffer.concat([bytes.subarray(0, at), Buffer.alloc(add, by), bytes.subarray(at + drop)]);
        fc.pre(!changed.equals(bytes));
        expect(E.isLeft(verify(changed)), changed.toString()).to.equal(true);
      }),
      { numRuns: 10_000 },
    );
  });

  it('proves nothing with a line left out, doubled or moved', () => {
    const lines = text.split('\n');
    for (const [at, line] of lines.entries()) {
      const without = lines.toSpliced(at, 1);
      expect(E.isLeft(verify(without.join('\n'))), `without line ${at}`).to.equal(true);
      // a signature may be there twice, and says the same
      if (!line.startsWith('—')) expect(E.isLeft(verify(lines.toSpliced(at, 0, line).join('\n')))).to.equal(true);
      for (let to = 0; to < without.length; to += 1) {
        const moved = without.toSpliced(to, 0, line).join('\n');
        if (moved !== text) expect(E.isLeft(verify(moved)), `line ${at} at ${to}`).to.equal(true);
      }
    }
  });

  it('says why it is none', () => {
    for (const [malformed, why] of [
      ['', 'the proof has no empty line before its checkpoint'],
      [`\ufeff${text}`, 'the proof does not begin with c2sp.org/tlog-proof@v1'],
      [text.replace('@v1', '@v2'), 'the proof does not begin with c2sp.org/tlog-proof@v1'],
      [text.replace('index', 'extra \nindex'), 'the extra data of the proof is not base64'],
      [text.replace('index', 'extra bW9yZR==\nindex'), 'the extra data of the proof is not base64'],
      [text.replace('index 77', 'index 077'), 'the proof names no index'],
      [text.replace('index 77', 'index'), 'the proof names no index'],
      [text.replace('index 77\n', ''), 'the proof names no index'],
      [text.replace('index 77\n', 'index 77\nAAAA\n'), 'a line of the proof is not 32 bytes in base64'],
      [text.replace('index 77', 'index 300'), 'the proof does not lead from the leaf to the root of the checkpoint'],
      [
        text.replace('\n300\n', '\n301\n'),
        `the signature of log.example/a+${ours.verifier.id} does not fit the text of the note`,
      ],
    ] as const)
      expect(verify(malformed), malformed).to.deep.equal(E.left(why));
    expect(verify(Buffer.of(0xff))).to.deep.equal(E.left('the proof is not UTF-8'));
  });
});
