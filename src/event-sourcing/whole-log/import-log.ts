import { either as E } from 'fp-ts';
import type { AppendFailure, StoreUnavailable } from '../event-store.js';
import type { Position } from '../recorded-event.js';
import { makeChainBook } from './chain-book.js';
import type { LogTarget } from './log-target.js';
import { BrokenLine, readExport } from './read-export.js';
import { makeEventWriter } from './write-events.js';

/** Nothing is imported into a log that has events; `newest` is the position of its last one. */
export type NotEmpty = { readonly _tag: 'NotEmpty'; readonly newest: Position };

export type Imported = {
  readonly events: number;
  readonly streams: number;
  /** False when `signal` ended it before the end of the export. */
  readonly isComplete: boolean;
};

type Importing = {
  /** Events read so far, and characters of the export. */
  readonly onEvent: (events: number, read: number) => void;
  readonly signal: AbortSignal;
};

/** Reads an export to its end and checks all of it; stores nothing. */
export const checkExport = async (
  chunks: AsyncIterable<Uint8Array>,
  { onEvent, signal }: Importing,
): Promise<E.Either<BrokenLine, Imported>> => {
  const book = makeChainBook();
  try {
    for await (const { read } of readExport(chunks, book)) {
      if (signal.aborted) break;
      onEvent(book.events(), read);
    }
    return E.right({ events: book.events(), streams: book.streams(), isComplete: !signal.aborted });
  } catch (error) {
    if (error instanceof BrokenLine) return E.left(error);
    throw error;
  }
};

export const refuseUnlessEmpty = async (target: LogTarget): Promise<E.Either<NotEmpty | StoreUnavailable, void>> => {
  const head = await target.head();
  if (E.isLeft(head)) return head;
  return head.right === undefined ? E.right(undefined) : E.left({ _tag: 'NotEmpty', newest: head.right });
};

/**
 * Stores what `exportLog` wrote into an empty log: ids, revisions, texts and so hashes as they were, in the order of
 * the export. Each chain is checked on the way; at a broken line what stands before it is stored, and nothing else.
 * The log keeps a name of its own.
 */
export const importLog = async (
  target: LogTarget,
  chunks: AsyncIterable<Uint8Array>,
  { onEvent, signal }: Importing,
): Promise<E.Either<BrokenLine | NotEmpty | AppendFailure, Imported>> => {
  const empty = await refuseUnlessEmpty(target);
  if (E.isLeft(empty)) return empty;
  const book = makeChainBook();
  const writer = makeEventWriter(target);
  let events = 0;
  let broken: BrokenLine | undefined;
  try {
    for await (const { event, read } of readExport(chunks, book)) {
      if (signal.aborted) break;
      const added = await writer.add(event);
      if (E.isLeft(added)) return added;
      events += 1;
      onEvent(events, read);
    }
  } catch (error) {
    if (!(error instanceof BrokenLine)) throw error;
    broken = error;
  }
  const flushed = await writer.flush();
  if (E.isLeft(flushed)) return flushed;
  if (broken !== undefined) return E.left(broken);
  return E.right({ events, streams: book.streams(), isComplete: !signal.aborted });
};
