import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { signCheckpoint } from '../../src/seal/checkpoint.js';
import { renderEntryBundle } from '../../src/seal/entry-bundle.js';
import { renderSigner, renderVerifier, signerOf } from '../../src/seal/note-key.js';
import { proveConsistency, proveInclusion } from '../../src/seal/proofs.js';
import { tileWidth } from '../../src/seal/tile.js';
import { entryBundlePath, tilePath } from '../../src/seal/tile-path.js';
import { renderTlogProof } from '../../src/seal/tlog-proof.js';
import { draw } from '../support/draw.js';
import { compileGo, hasGoSumdb } from '../support/go.js';
import { needs } from '../support/needs.js';
import { holdToVectors, parseSealVectors } from '../support/seal-vectors.js';
import { flipBit, leafDataOf, right, treeOf } from '../support/sealed-tree.js';

describe('the vectors of Go', () => {
  it('hold', async () => {
    const file = path.join(import.meta.dirname, '..', 'fixtures', 'seal-vectors.json');
    await holdToVectors(parseSealVectors(readFileSync(file, 'utf8')));
  });
});

/** All that this service makes of a log, for test/seal/go to check. */
const makeLog = async (seed: string, size: number) => {
  const { read, tiles, root } = treeOf(seed, size);
  const signer = right(signerOf('log.example/made', leafDataOf(`${seed}/key`, 0)));
  const checkpoint = right(signCheckpoint({ size, root }, signer));
  const indexes = Array.from({ length: 20 }, (_, at) => Math.floor(((size - 1) * at) / 19));
  const prove = async (index: number) => right(await proveInclusion(index, size, read));
  const text = (hash: Buffer): string => hash.toString('base64');
  const places = [...tiles].map(([key, hashes]) => {
    const [level = 0, index = 0] = key.split('/').map(Number);
    return { level, index, width: tileWidth(level, index, size), hashes };
  });
  const bundles = places
    .filter(({ level }) => level === 0)
    .map(({ index, width }) => {
      const entries = Array.from({ length: width }, (_, at) => leafDataOf(seed, 256 * index + at));
      return [entryBundlePath({ index, width }), text(renderEntryBundle(entries))];
    });
  return {
    seed,
    head: { size, root: text(root) },
    tiles: Object.fromEntries(places.map((place) => [tilePath(place), text(place.hashes)])) as Readonly<
      Record<string, string>
    >,
    bundles: Object.fromEntries(bundles) as Record<string, string>,
    inclusion: await Promise.all(
      indexes.map(async (index) => ({ size, index, hashes: (await prove(index)).map(text) })),
    ),
    consistency: await Promise.all(
      indexes.map(async (index) => {
        const hashes = right(await proveConsistency(index + 1, size, read)).map(text);
        return { oldSize: index + 1, size, hashes };
      }),
    ),
    signer: renderSigner(signer),
    verifier: renderVerifier(signer.verifier),
    checkpoint,
    proofs: await Promise.all(
      indexes.map(async (index) => renderTlogProof({ index, hashes: await prove(index), checkpoint })),
    ),
  };
};

type Log = Awaited<ReturnType<typeof makeLog>>;

describe("Go's golang.org/x/mod/sumdb", function () {
  this.timeout(300_000); // the first compilation compiles the standard library

  const scratch = mkdtempSync(path.join(tmpdir(), 'seal-go-'));
  const program = path.join(scratch, 'program');
  const check = (log: Log) => spawnSync(program, ['check'], { input: JSON.stringify(log), encoding: 'utf8' });

  before(function () {
    needs(this, hasGoSumdb(), 'Go and golang.org/x/mod (Debian: golang-go and golang-golang-x-mod-dev)');
    compileGo(path.join(import.meta.dirname, 'go', 'main.go'), program);
  });

  after(() => rmSync(scratch, { recursive: true }));

  it('makes what we make, over leaves never seen before', async () => {
    const seed = draw(fc.uuid());
    const vectors = execFileSync(program, ['vectors', seed], { encoding: 'utf8', maxBuffer: 2 ** 26 });
    await holdToVectors(parseSealVectors(vectors));
  });

  it('verifies our tiles, entry bundles, proofs, keys and checkpoints', async () => {
    for (const size of [1, 2, 255, 256, 257, 66_000, draw(fc.integer({ min: 3, max: 3_000 }))]) {
      const log = await makeLog(draw(fc.uuid()), size);
      const { stdout, stderr } = check(log);
      const counts = [log.tiles, log.bundles].map((files) => Object.keys(files).length);
      expect(stderr, `size ${size}`).to.equal('');
      expect(stdout).to.equal(`checked ${counts[0]} tiles, ${counts[1]} bundles, 60 proofs\n`);
    }
  });

  it('refuses each of them with a bit changed', async () => {
    const log = await makeLog(draw(fc.uuid()), 300);
    const flip = (base64: string, bit: number): string =>
      flipBit(Buffer.from(base64, 'base64'), bit).toString('base64');
    const bit = draw(fc.nat(255));
    const changedHashes = <A extends { readonly hashes: ReadonlyArray<string> }>(list: ReadonlyArray<A>) =>
      list.map((proof, at) => (at === 7 ? { ...proof, hashes: proof.hashes.map((hash) => flip(hash, bit)) } : proof));
    const tile = 'tile/0/001.p/44';
    const bundle = 'tile/entries/000';
    const changed: Readonly<Record<string, Log>> = {
      root: { ...log, head: { ...log.head, root: flip(log.head.root, bit) } },
      tile: { ...log, tiles: { ...log.tiles, [tile]: flip(log.tiles[tile]!, bit) } },
      bundle: { ...log, bundles: { ...log.bundles, [bundle]: flip(log.bundles[bundle]!, 16 + bit) } },
      inclusion: { ...log, inclusion: changedHashes(log.inclusion) },
      consistency: { ...log, consistency: changedHashes(log.consistency) },
      checkpoint: { ...log, checkpoint: log.checkpoint.replace('\n300\n', '\n301\n') },
      proof: {
        ...log,
        proofs: log.proofs.map((proof) => proof.replace('index 77', 'index 78').replace('index 0', 'index 1')),
      },
    };
    for (const [what, other] of Object.entries(changed)) expect(check(other).status, what).to.equal(1);
    expect(check(log).status).to.equal(0);
  });
});
