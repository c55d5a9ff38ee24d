import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import type { Hash } from '../../src/seal/hash.js';
import { openNote, signNote } from '../../src/seal/note.js';
import { parseSigner, parseVerifier, renderSigner, renderVerifier } from '../../src/seal/note-key.js';
import { proveConsistency, proveInclusion, treeRoot } from '../../src/seal/proofs.js';
import { entryBundlePath, parseTlogPath, tilePath } from '../../src/seal/tile-path.js';
import { verifyConsistency, verifyInclusion } from '../../src/seal/verify-proofs.js';
import { right, type SealedTree, treeOf } from './sealed-tree.js';

const SealVectors = t.type({
  seed: t.string,
  roots: t.array(t.type({ size: t.number, root: t.string })),
  levels: t.array(t.string),
  inclusion: t.array(t.type({ size: t.number, index: t.number, hashes: t.array(t.string) })),
  consistency: t.array(t.type({ oldSize: t.number, size: t.number, hashes: t.array(t.string) })),
  paths: t.array(t.type({ level: t.number, index: t.number, width: t.number, path: t.string })),
  notes: t.array(t.type({ signer: t.string, verifier: t.string, text: t.string, note: t.string, both: t.string })),
});
type SealVectors = t.TypeOf<typeof SealVectors>;

export const parseSealVectors = (json: string): SealVectors => right(SealVectors.decode(JSON.parse(json)));

const fromText = (hash: string): Hash => Buffer.from(hash, 'base64');
const textOf = (hash: Hash): string => hash.toString('base64');

const rootOf = async (size: number, { read }: SealedTree): Promise<Hash> => right(await treeRoot(size, read));

const holdTree = async ({ roots, levels }: SealVectors, tree: SealedTree): Promise<void> => {
  for (const { size, root } of roots) expect(textOf(await rootOf(size, tree)), `root of ${size}`).to.equal(root);
  for (const [level, sha256] of levels.entries()) {
    const hash = createHash('sha256');
    for (let index = 0; tree.tiles.has(`${level}/${index}`); index += 1)
      hash.update(tree.tiles.get(`${level}/${index}`)!);
    expect(hash.digest('hex'), `tiles of level ${level}`).to.equal(sha256);
  }
};

const holdProofs = async ({ inclusion, consistency }: SealVectors, tree: SealedTree): Promise<void> => {
  for (const { size, index, hashes } of inclusion) {
    const where = `${index} of ${size}`;
    expect(right(await proveInclusion(index, size, tree.read)).map(textOf), where).to.deep.equal(hashes);
    const head = { size, root: await rootOf(size, tree) };
    expect(verifyInclusion(tree.leaves[index]!, index, head, hashes.map(fromText)), where).to.equal(true);
  }
  for (const { oldSize, size, hashes } of consistency) {
    const where = `${oldSize} of ${size}`;
    expect(right(await proveConsistency(oldSize, size, tree.read)).map(textOf), where).to.deep.equal(hashes);
    const old = { size: oldSize, root: await rootOf(oldSize, tree) };
    expect(verifyConsistency(old, { size, root: await rootOf(size, tree) }, hashes.map(fromText)), where).to.equal(
      true,
    );
  }
};

const holdPaths = ({ paths }: SealVectors): void => {
  for (const { level, index, width, path } of paths) {
    const isBundle = level === -1;
    expect(isBundle ? entryBundlePath({ index, width }) : tilePath({ level, index, width })).to.equal(path);
    const resource = isBundle ? { _tag: 'EntryBundle', index, width } : { _tag: 'Tile', level, index, width };
    expect(parseTlogPath(path), path).to.deep.equal(E.right(resource));
  }
};

const holdNotes = ({ notes }: SealVectors): void => {
  for (const { signer, verifier, text, note, both } of notes) {
    const known = right(parseVerifier(verifier));
    expect(renderVerifier(known)).to.equal(verifier);
    for (const signed of [note, both])
      expect(openNote(Buffer.from(signed), [known])).to.deep.equal(E.right({ text, signers: [known] }));
    const ours = right(parseSigner(signer));
    expect(renderSigner(ours)).to.equal(signer);
    expect(renderVerifier(ours.verifier)).to.equal(verifier);
    expect(signNote(text, ours)).to.deep.equal(E.right(note));
  }
};

/** Holds tree, tiles, proofs, paths, keys and notes to what another program has made. */
export const holdToVectors = async (vectors: SealVectors): Promise<void> => {
  const tree = treeOf(vectors.seed, vectors.roots.at(-1)!.size);
  await holdTree(vectors, tree);
  await holdProofs(vectors, tree);
  holdPaths(vectors);
  holdNotes(vectors);
};
