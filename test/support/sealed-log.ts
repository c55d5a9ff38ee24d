import { sealedBy } from '../../projections/ledger.js';
import { ledgerOf, registry } from '../../src/entities/registry.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { exportLog } from '../../src/event-sourcing/whole-log/export-log.js';
import { signCheckpoint } from '../../src/seal/checkpoint.js';
import { eventLeaf } from '../../src/seal/event-leaf.js';
import { leafHash } from '../../src/seal/hash.js';
import { renderVerifier, type Signer, signerOf } from '../../src/seal/note-key.js';
import { entryBundlePath, tilePath } from '../../src/seal/tile-path.js';
import { renderEntryBundle } from '../../src/seal/entry-bundle.js';
import { HASH_BYTES } from '../../src/seal/hash.js';
import { TILE_WIDTH } from '../../src/seal/tile.js';
import { leafDataOf, right, type SealedTree, treeOver } from './sealed-tree.js';

/** A signer made of a word. */
export const signerNamed = (name: string, secret: string): Signer => right(signerOf(name, leafDataOf(secret, 0)));

/** Who seals in tests. */
export const SIGNER = signerNamed('log.example/events', 'the key of the log');
export const KEY = renderVerifier(SIGNER.verifier);

/** The checkpoint over these leaves, given as their data. */
export const checkpointOver = (leaves: ReadonlyArray<Buffer>, signer = SIGNER): string =>
  right(signCheckpoint({ size: leaves.length, root: treeOver(leaves.map(leafHash)).root }, signer));

const hashOf = ({ metadata }: StoredEvent): string =>
  // reason: sealed in a test
  (JSON.parse(metadata) as { readonly hash: string }).hash;

/** The leaves' data of these events, in their order, as far as they are in the tree. */
export const leavesOf = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<Buffer> =>
  events.filter(sealedBy(ledgerOf(registry))).map((event) => eventLeaf(event, hashOf(event)));

/** A log as `ops log export` writes it. */
export const exportedText = async (store: EventStore, withData: boolean): Promise<string> => {
  let text = '';
  for await (const page of exportLog(store, { _tag: 'Log', category: undefined, since: undefined }, withData))
    text += page.text;
  return text;
};

/** The files that a log with these leaves serves below `/tlog`, by their names. */
export const tlogFiles = (leaves: ReadonlyArray<Buffer>, signer = SIGNER): Map<string, Buffer> => {
  const { tiles }: SealedTree = treeOver(leaves.map(leafHash));
  const files = new Map<string, Buffer>([['checkpoint', Buffer.from(checkpointOver(leaves, signer))]]);
  for (const [key, hashes] of tiles) {
    const [level = 0, index = 0] = key.split('/').map(Number);
    const width = hashes.length / HASH_BYTES;
    files.set(tilePath({ level, index, width }), hashes);
    if (level === 0)
      files.set(
        entryBundlePath({ index, width }),
        renderEntryBundle(leaves.slice(index * TILE_WIDTH, index * TILE_WIDTH + width)),
      );
  }
  return files;
};
