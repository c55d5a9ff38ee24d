import { either as E } from 'fp-ts';
import type { AppendFailure, StoreUnavailable } from '../event-store.js';
import type { Random } from '../random.js';
import type { Position } from '../recorded-event.js';
import type { Runtime } from '../runtime.js';
import { makeChainVerifier } from './chain-verifier.js';
import { copyBatches } from './copy-batches.js';
import { keepChainEnds } from './keep-chain-ends.js';
import type { LogTarget } from './log-target.js';
import { BrokenLine } from './lines.js';
import { readExport } from './read-export.js';

/** Nothing is imported into a log that has events; `newest` is the position of its last one. */
export type NotEmpty = { readonly _tag: 'NotEmpty'; readonly newest: Position };

export type Imported = {
  readonly events: number;
  readonly streams: number;
  /** False when `signal` ended it before the end of the export. */
  readonly isComplete: boolean;
};

type Reading = {
  /** Events read so far, and characters of the export. */
  readonly onBatch: (events: number, read: number) => void;
  readonly signal: AbortSignal;
};

const unlessBroken = async <Failure>(
  reading: () => Promise<E.Either<Failure, Imported>>,
): Promise<E.Either<Failure | BrokenLine, Imported>> => {
  try {
    return await reading();
  } catch (error) {
    if (error instanceof BrokenLine) return E.left(error);
    throw error;
  }
};

/** Reads an export to its end and checks all of it; stores nothing. */
export const checkExport = (
  chunks: AsyncIterable<Uint8Array>,
  { random, onBatch, signal }: Reading & { readonly random: Random },
): Promise<E.Either<BrokenLine, Imported>> =>
  unlessBroken(async () => {
    const chains = makeChainVerifier(keepChainEnds(random));
    for await (const { read } of readExport(chunks, chains)) {
      onBatch(chains.events(), read);
      if (signal.aborted) break;
    }
    return E.right({ events: chains.events(), streams: chains.streams(), isComplete: !signal.aborted });
  });

export const requireEmpty = async (target: LogTarget): Promise<E.Either<NotEmpty | StoreUnavailable, void>> => {
  const head = await target.head();
  if (E.isLeft(head)) return head;
  return head.right === undefined ? E.right(undefined) : E.left({ _tag: 'NotEmpty', newest: head.right });
};

/**
 * Copies what `exportLog` wrote into an empty log: ids, revisions, texts and so hashes as they were, in the order of
 * the export, and checks each chain on the way. Of an export with a broken line, stores what stands before that line.
 * The log keeps a name of its own, and the mark of a log that is not whole until all of the export is there.
 */
export const importLog = (
  target: LogTarget,
  chunks: AsyncIterable<Uint8Array>,
  { runtime, onBatch, signal }: Reading & { readonly runtime: Runtime },
): Promise<E.Either<BrokenLine | NotEmpty | AppendFailure, Imported>> =>
  unlessBroken<NotEmpty | AppendFailure>(async () => {
    const empty = await requireEmpty(target);
    if (E.isLeft(empty)) return empty;
    const marked = await target.markRestore('begun');
    if (E.isLeft(marked)) return marked;
    const chains = makeChainVerifier(keepChainEnds(runtime.random));
    const copied = await copyBatches(readExport(chunks, chains), target, {
      runtime,
      onCopied: (events, { read }) => onBatch(events, read),
      signal,
    });
    if (E.isLeft(copied)) return copied;
    const ended = signal.aborted ? E.right(undefined) : await target.markRestore('ended');
    if (E.isLeft(ended)) return ended;
    return E.right({ events: copied.right, streams: chains.streams(), isComplete: !signal.aborted });
  });
