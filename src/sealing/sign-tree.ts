import { either as E } from 'fp-ts';
import { orThrow } from '../event-sourcing/attempt.js';
import type { SignedCheckpoint } from '../read/sealed-tree.js';
import { signCheckpoint } from '../seal/checkpoint.js';
import { treeRoot } from '../seal/proofs.js';
import { type KnownKey, openKnown } from './kept-checkpoint.js';
import type { LockedTree, LockTree } from './lock-tree.js';
import { keysOf, type SealHistory, type SealInForce } from './seal-history.js';

export const SEAL_FAULTS = ['Shorter', 'Differs', 'Foreign', 'Unreadable'] as const;

/**
 * Why a tree must not be signed.
 * - `Shorter`: it has fewer events than a checkpoint.
 * - `Differs`: its first events are not those of a checkpoint.
 * - `Foreign`: a checkpoint of this origin stands where ours are kept, and no key of this log has signed it while it was in force.
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
  keys: ReadonlyArray<KnownKey>,
  { origin, size: signed, note }: SignedCheckpoint,
): Promise<E.Either<SealFault, void>> => {
  const fault = (_tag: SealFault['_tag']): E.Left<SealFault> => ({
    _tag: 'Left',
    left: { _tag, origin, size, signed },
  });
  const opened = openKnown(Buffer.from(note), keys);
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

/** The largest checkpoints of the origin in force, in Postgres and elsewhere, when the tree begins with all events of both. */
export const compareTree = async (
  tree: LockedTree,
  history: SealHistory,
  elsewhere: SignedCheckpoint | undefined,
): Promise<E.Either<SealFault, Known>> => {
  const keys = keysOf(history)(history.origin);
  const recorded = await tree.largestOf(history.origin);
  const known = [recorded, elsewhere?.note === recorded?.note ? undefined : elsewhere].filter(
    (one) => one !== undefined,
  );
  for (const checkpoint of known) {
    const compared = await compare(tree, keys, checkpoint);
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
  history: SealHistory,
  elsewhere: SignedCheckpoint | undefined,
): Promise<SealFault | undefined> =>
  lockTree(async (tree) => {
    const compared = await compareTree(tree, history, elsewhere);
    return E.isLeft(compared) ? compared.left : undefined;
  });

/** The largest checkpoint of an origin that is known from elsewhere than Postgres. */
type Elsewhere = { readonly origin: string; readonly largest: SignedCheckpoint | undefined };

const signLocked = async (
  tree: LockedTree,
  findSeal: () => Promise<SealInForce>,
  { origin, largest: elsewhere }: Elsewhere,
): Promise<E.Either<SealFault, SignedCheckpoint | undefined>> => {
  // while nobody else decides who signs
  const { signer, history } = await findSeal();
  // restarted meanwhile: what there is of the new origin elsewhere is not known
  if (history.origin !== origin) return E.right(undefined);
  const compared = await compareTree(tree, history, elsewhere);
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
 * the largest one known `elsewhere`. Who signs is found out while nobody else signs or replaces the key. Gives the checkpoint
 * of the tree as it is, undefined while there are no events, and where the origin is another one by then. Left, and nothing
 * signed, unless the tree begins with all events of both, in their order. Rejects with what the database and `findSeal` throw,
 * and when the row was not kept.
 */
export const signTree = async (
  lockTree: LockTree,
  findSeal: () => Promise<SealInForce>,
  elsewhere: Elsewhere,
): Promise<E.Either<SealFault, SignedCheckpoint | undefined>> =>
  (await lockTree((tree) => signLocked(tree, findSeal, elsewhere))) ?? E.right(undefined);
