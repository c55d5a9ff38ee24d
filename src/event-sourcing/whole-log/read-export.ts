import { either as E } from 'fp-ts';
import type { Position, StoredEvent } from '../recorded-event.js';
import { type ChainBook, makeChainBook } from './chain-book.js';
import { linesOf, type NumberedLine, UnreadableLine } from './lines.js';
import { parseLine } from './log-line.js';

/** Line `line` (from 1) of an export is not what follows the lines before it. */
export class BrokenLine extends Error {
  readonly _tag = 'BrokenLine';
  readonly line: number;
  constructor(line: number, reason: string) {
    super(`line ${line} ${reason}`);
    this.name = 'BrokenLine';
    this.line = line;
  }
}

/** An event of an export, and how many characters of it have been read. */
type ExportedEvent = { readonly event: StoredEvent; readonly read: number };

const eventOf = (
  { text, isEnded }: NumberedLine,
  reached: Position,
  book: ChainBook,
): E.Either<string, StoredEvent> => {
  const parsed = parseLine(text);
  if (E.isLeft(parsed)) return isEnded ? parsed : E.left('is cut short: the export does not end with a whole line');
  const event = parsed.right;
  if (event.position <= reached) return E.left(`has position ${event.position}, which does not follow ${reached}`);
  const linked = book.add(event);
  return E.isLeft(linked) ? E.left(`breaks the chain of ${event.stream}: ${linked.left.reason}`) : E.right(event);
};

/**
 * The events of an export with data, in its order, each checked against the chain of its stream. Throws `BrokenLine`
 * instead of the first event that does not fit. `book` counts them.
 */
export async function* readExport(
  chunks: AsyncIterable<Uint8Array>,
  book: ChainBook = makeChainBook(),
): AsyncGenerator<ExportedEvent> {
  let reached: Position = -1n;
  let read = 0;
  try {
    for await (const line of linesOf(chunks)) {
      const event = eventOf(line, reached, book);
      if (E.isLeft(event)) throw new BrokenLine(line.number, event.left);
      reached = event.right.position;
      read += line.text.length + 1;
      yield { event: event.right, read };
    }
  } catch (error) {
    throw error instanceof UnreadableLine ? new BrokenLine(error.number, error.message) : error;
  }
}
