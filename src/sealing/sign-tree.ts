import { either as E } from 'fp-ts';
import { orThrow } from '../event-sourcing/attempt.js';
import type { SignedCheckpoint } from '../read/sealed-tree.js';
import { openCheckpoint, signCheckpoint } from '../seal/checkpoint.js';
import type { Signer } from '../seal/note-key.js';
import { treeRoot } from '../seal/proofs.js';
import type { LockedTree, LockTree } from './lock-tree.js';

export const SEAL_FAULTS = ['Shorter', 'Differs', 'Foreign', 'Unreadable'] as const;

/**
 * Why a tree must not be signed.
 * - `Shorter`: it has fewer events than a checkpoint.
 * - `Differs`: its first events are not those of a checkpoint.
 * - `Foreign`: a checkpoint of this origin stands where ours are kept, and this key has not signed it.
 * - `Unreadable`: tiles of the tree are missing.
 */
export type SealFault = {
  readonly _tag: (typeof SEAL_FAULTS)[number];
  readonly origin: string;
  /** Size of the tree, and of the checkpoint that it is compared with. */
  readonly size: number;
  readonly signed: number;
};

const compare = async (
  { size, readTiles }: LockedTree,
  { verifier }: Signer,
  { origin, size: signed, note }: SignedCheckpoint,
): Promise<E.Either<SealFault, void>> => {
  const fault = (_tag: SealFault['_tag']): E.Left<SealFault> => ({
    _tag: 'Left',
    left: { _tag, origin, size, signed },
  });
  const opened = openCheckpoint(Buffer.from(note), [verifier]);
  if (E.isLeft(opened) || opened.right.size !== signed) return fault('Foreign');
  if (size < signed) return fault('Shorter');
  const root = await treeRoot(signed, readTiles);
  if (E.isLeft(root)) return fault('Unreadable');
  return root.right.equals(opened.right.root) ? E.right(undefined) : fault('Differs');
};

/** A trigger or a rule of the table can swallow the row without an error, and then nothing was signed. */
const NOT_KEPT = 'Postgres took the checkpoint and does not have it: look at the triggers and rules of seal.checkpoint';

const record = async (tree: LockedTree, checkpoint: SignedCheckpoint): Promise<void> => {
  await tree.record(checkpoint);
  if ((await tree.largestOf(checkpoint.origin))?.note !== checkpoint.note) throw new Error(NOT_KEPT);
};

type Known = {
  /** The largest one in Postgres. */
  readonly recorded: SignedCheckpoint | undefined;
  /** It, and the one elsewhere. */
  readonly known: ReadonlyArray<SignedCheckpoint>;
};

/** The largest checkpoints, in Postgres and elsewhere, when the tree begins with all events of both. */
const compareAll = async (
  tree: LockedTree,
  signer: Signer,
  elsewhere: SignedCheckpoint | undefined,
): Promise<E.Either<SealFault, Known>> => {
  const recorded = await tree.largestOf(signer.verifier.name);
  const known = [recorded, elsewhere?.note === recorded?.note ? undefined : elsewhere].filter(
    (one) => one !== undefined,
  );
  for (const checkpoint of known) {
    const compared = await compare(tree, signer, checkpoint);
    if (E.isLeft(compared)) return compared;
  }
  return E.right({ recorded, known });
};

/**
 * Why the live tree must not be signed; undefined where it begins with all events of both checkpoints, or there is none.
 * Rejects with what the database throws.
 */
export const findSealFault = (
  lockTree: LockTree,
  signer: Signer,
  elsewhere: SignedCheckpoint | undefined,
): Promise<SealFault | undefined> =>
  lockTree(async (tree) => {
    const compared = await compareAll(tree, signer, elsewhere);
    return E.isLeft(compared) ? compared.left : undefined;
  });

const signLocked = async (
  tree: LockedTree,
  signer: Signer,
  elsewhere: SignedCheckpoint | undefined,
): Promise<E.Either<SealFault, SignedCheckpoint | undefined>> => {
  const origin = signer.verifier.name;
  const compared = await compareAll(tree, signer, elsewhere);
  if (E.isLeft(compared)) return compared;
  const { recorded, known } = compared.right;
  const { size } = tree;
  const signed = Math.max(0, ...known.map((checkpoint) => checkpoint.size));
  if (size === signed) {
    // a database that was made anew has none to hand out
    if (recorded === undefined && elsewhere !== undefined) await record(tree, elsewhere);
    return E.right(known.find((checkpoint) => checkpoint.size === size));
  }
  const root = await treeRoot(size, tree.readTiles);
  if (E.isLeft(root)) return E.left({ _tag: 'Unreadable', origin, size, signed });
  // a note of ours has nothing that could not be signed
  const note = orThrow(E.mapLeft(Error)(signCheckpoint({ size, root: root.right }, signer)));
  const checkpoint = { origin, size, note };
  await record(tree, checkpoint);
  return E.right(checkpoint);
};

/**
 * Signs the live tree and records the checkpoint, when the tree has grown since the largest one: that in Postgres, or
 * the largest one known `elsewhere`. Gives the checkpoint of the tree as it is, undefined while there are no events. Left, and nothing signed,
 * unless the tree begins with all events of both, in their order. Rejects with what the database throws, and when it has not kept the row.
 */
export const signTree = async (
  lockTree: LockTree,
  signer: Signer,
  elsewhere: SignedCheckpoint | undefined,
): Promise<E.Either<SealFault, SignedCheckpoint | undefined>> =>
  (await lockTree((tree) => signLocked(tree, signer, elsewhere))) ?? E.right(undefined);
