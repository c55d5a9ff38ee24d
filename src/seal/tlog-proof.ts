import { either as E } from 'fp-ts';
import { fromBase64, hashFromBase64 } from './base64.js';
import { type Checkpoint, openCheckpoint } from './checkpoint.js';
import type { Hash } from './hash.js';
import type { Verifier } from './note-key.js';
import { fromDecimal, fromUtf8 } from './text.js';
import { verifyInclusion } from './verify-proofs.js';

/** All that shows that a leaf is in a log: https://c2sp.org/tlog-proof. */
export type TlogProof = {
  readonly index: number;
  /** The inclusion proof. */
  readonly hashes: ReadonlyArray<Hash>;
  /** The signed note, as it is. */
  readonly checkpoint: string;
  /** Bytes for the application, which nothing vouches for. */
  readonly extra?: Uint8Array | undefined;
};

const FORMAT = 'c2sp.org/tlog-proof@v1';
const EXTRA = 'extra ';
const INDEX = 'index ';
const BEFORE_CHECKPOINT = '\n\n';

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** The text of a proof. `extra` of no bytes is left out, as there is no way to write it. */
export const renderTlogProof = ({ index, hashes, checkpoint, extra }: TlogProof): string => {
  const extraLine = extra === undefined || extra.length === 0 ? [] : [`${EXTRA}${base64(extra)}`];
  return `${[FORMAT, ...extraLine, `${INDEX}${index}`, ...hashes.map(base64)].join('\n')}${BEFORE_CHECKPOINT}${checkpoint}`;
};

const parseExtra = (line: string): Buffer | undefined => {
  const extra = fromBase64(line.slice(EXTRA.length));
  return extra === undefined || extra.length === 0 ? undefined : extra;
};

/** A proof from its text; any other spelling of one is an error. Its checkpoint is not looked at. */
export const parseTlogProof = (proof: Uint8Array): E.Either<string, TlogProof> => {
  const whole = fromUtf8(proof);
  if (whole === undefined) return E.left('the proof is not UTF-8');
  const end = whole.indexOf(BEFORE_CHECKPOINT);
  if (end < 0) return E.left('the proof has no empty line before its checkpoint');
  const [format, ...lines] = whole.slice(0, end).split('\n');
  if (format !== FORMAT) return E.left(`the proof does not begin with ${FORMAT}`);
  const hasExtra = lines[0]?.startsWith(EXTRA) === true;
  const extra = hasExtra ? parseExtra(lines[0] ?? '') : undefined;
  if (hasExtra && extra === undefined) return E.left('the extra data of the proof is not base64');
  const [indexLine = '', ...hashLines] = hasExtra ? lines.slice(1) : lines;
  const index = indexLine.startsWith(INDEX) ? fromDecimal(indexLine.slice(INDEX.length)) : undefined;
  if (index === undefined) return E.left('the proof names no index');
  const hashes = hashLines.map(hashFromBase64).filter((hash) => hash !== undefined);
  if (hashes.length < hashLines.length) return E.left('a line of the proof is not 32 bytes in base64');
  const checkpoint = whole.slice(end + BEFORE_CHECKPOINT.length);
  return E.right({ index, hashes, checkpoint, ...(extra === undefined ? {} : { extra }) });
};

/** What a proof shows: that the leaf is at this index of the tree of this checkpoint. */
type ProvenPlace = { readonly index: number; readonly checkpoint: Checkpoint };

/** Verifies that a leaf, given by its leaf hash, is in a log of which one of these keys has signed the checkpoint. */
export const verifyTlogProof = (
  leaf: Hash,
  proof: Uint8Array,
  known: ReadonlyArray<Verifier>,
): E.Either<string, ProvenPlace> => {
  const parsed = parseTlogProof(proof);
  if (E.isLeft(parsed)) return parsed;
  const { index, hashes } = parsed.right;
  const checkpoint = openCheckpoint(Buffer.from(parsed.right.checkpoint), known);
  if (E.isLeft(checkpoint)) return checkpoint;
  return verifyInclusion(leaf, index, checkpoint.right, hashes)
    ? E.right({ index, checkpoint: checkpoint.right })
    : E.left('the proof does not lead from the leaf to the root of the checkpoint');
};
