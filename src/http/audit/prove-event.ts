import { either as E } from 'fp-ts';
import type { Ledger } from '../../read/ledger.js';
import type { SealedTree, SignedCheckpoint } from '../../read/sealed-tree.js';
import { readCheckpoint } from '../../seal/checkpoint.js';
import { leafHash } from '../../seal/hash.js';
import { proveInclusion } from '../../seal/proofs.js';
import { fromDecimal } from '../../seal/text.js';
import { renderTlogProof } from '../../seal/tlog-proof.js';
import { verifyInclusion } from '../../seal/verify-proofs.js';
import type { Failure } from '../problem/failure.js';
import type { AuthorizedContext } from '../request-context.js';
import type { HttpResponse } from '../response/http-response.js';

const unexpected = (message: string): E.Left<Failure> => ({
  _tag: 'Left',
  left: { _tag: 'Unexpected', cause: new Error(message) },
});

/** The proof that the event is under the checkpoint. It is verified before anybody gets it. */
const prove = async (
  { readTiles, readLeaves }: SealedTree,
  index: number,
  { size, note }: SignedCheckpoint,
): Promise<E.Either<Failure, string>> => {
  const [hashes, leaves] = await Promise.all([proveInclusion(index, size, readTiles), readLeaves(index, 1)]);
  if (E.isLeft(leaves)) return leaves;
  const [leaf] = leaves.right;
  if (E.isLeft(hashes) && hashes.left._tag === 'ReadModelUnavailable') return E.left(hashes.left);
  // the tree lacks what the checkpoint covers: it is being built anew, or was cut
  if (E.isLeft(hashes) || leaf === undefined) return E.left({ _tag: 'LedgerBehind' });
  const checkpoint = readCheckpoint(Buffer.from(note));
  if (E.isLeft(checkpoint)) return unexpected(`the newest checkpoint is none: ${checkpoint.left}`);
  if (!verifyInclusion(leafHash(leaf), index, checkpoint.right, hashes.right))
    return unexpected(`the tree does not have event ${index} as its checkpoint of ${size} events says`);
  return E.right(renderTlogProof({ index, hashes: hashes.right, checkpoint: note }));
};

/** Why an event beyond the newest checkpoint has no proof: it is too new, or there is none. */
const unproven = async ({ page }: Pick<Ledger, 'page'>, index: number): Promise<Failure> => {
  const after = index === 0 ? undefined : BigInt(index) - 1n;
  const found = await page({ filter: {}, after, direction: 'forwards', limit: 1 });
  if (E.isLeft(found)) return found.left;
  return found.right.entries.length === 0 ? { _tag: 'NoSuchIndex' } : { _tag: 'NotSealedYet' };
};

/** The proof of one event, in one file: that it is at its index of the log that the newest checkpoint is of. */
export const proveEvent =
  (ledger: Pick<Ledger, 'page'>, tree: SealedTree) =>
  async ({ params }: AuthorizedContext): Promise<E.Either<Failure, HttpResponse>> => {
    const index = fromDecimal(params['index'] ?? '');
    if (index === undefined) return E.left({ _tag: 'NoSuchIndex' });
    const newest = await tree.newestCheckpoint();
    if (E.isLeft(newest)) return newest;
    const checkpoint = newest.right;
    if (checkpoint === undefined || index >= checkpoint.size) return E.left(await unproven(ledger, index));
    const proof = await prove(tree, index, checkpoint);
    if (E.isLeft(proof)) return proof;
    return E.right({ status: 200, contentType: 'text/plain; charset=utf-8', body: proof.right });
  };
