import { either as E } from 'fp-ts';
import type { SealedTree, SignedCheckpoint } from '../../src/read/sealed-tree.js';
import { signCheckpoint } from '../../src/seal/checkpoint.js';
import { leafHash } from '../../src/seal/hash.js';
import type { Signer, Verifier } from '../../src/seal/note-key.js';
import { appendLeaves, edgeRoot, emptyEdge } from '../../src/seal/tree-edge.js';
import { signerNamed } from './checkpoints.js';
import { keyOf, right } from './sealed-tree.js';

/** A tree in memory that grows and is signed when a test says so. */
export class InMemorySealedTree implements SealedTree {
  readonly #signer: Signer;
  #edge = emptyEdge;
  readonly leaves: Array<Buffer> = [];
  /** By level and index; a test may spoil them. */
  readonly tiles = new Map<string, Buffer>();
  readonly #checkpoints: Array<SignedCheckpoint> = [];

  constructor(origin = 'memory.example') {
    this.#signer = signerNamed(origin);
  }

  get verifier(): Verifier {
    return this.#signer.verifier;
  }

  append(leaves: ReadonlyArray<Buffer>): void {
    const appended = appendLeaves(this.#edge, leaves.map(leafHash));
    this.#edge = appended.edge;
    this.leaves.push(...leaves);
    for (const tile of appended.tiles) this.tiles.set(keyOf(tile), tile.hashes);
  }

  sign(): SignedCheckpoint {
    const { size } = this.#edge;
    const note = right(signCheckpoint({ size, root: edgeRoot(this.#edge) }, this.#signer));
    const checkpoint = { origin: this.verifier.name, size, note };
    this.#checkpoints.push(checkpoint);
    return checkpoint;
  }

  readonly newestCheckpoint: SealedTree['newestCheckpoint'] = () => Promise.resolve(E.right(this.#checkpoints.at(-1)));

  readonly newestOf: SealedTree['newestOf'] = (origin) =>
    Promise.resolve(E.right(this.#checkpoints.filter((checkpoint) => checkpoint.origin === origin).at(-1)));

  readonly cosignedOf: SealedTree['cosignedOf'] = () => Promise.resolve(E.right(undefined));

  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous, memory is not
  async *checkpoints(): AsyncGenerator<SignedCheckpoint> {
    yield* this.#checkpoints;
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous, memory is not
  async *cosigned(): AsyncGenerator<SignedCheckpoint> {
    yield* [];
  }

  readonly readTiles: SealedTree['readTiles'] = (tiles) =>
    Promise.resolve(E.right(tiles.map((tile) => this.tiles.get(keyOf(tile)))));

  readonly readLeaves: SealedTree['readLeaves'] = (first, count) =>
    Promise.resolve(E.right(this.leaves.slice(first, first + count)));
}
