import { either as E } from 'fp-ts';
import type { Position, StoredEvent } from '../recorded-event.js';
import type { ChainVerifier } from './chain-verifier.js';
import { BrokenLine, linesOf, type NumberedLine } from './lines.js';
import { parseLine } from './log-line.js';

/** A batch ends with so many events, or with the one that makes it so many characters. */
const BATCH_EVENTS = 500;
const BATCH_CHARACTERS = 4 * 1024 * 1024;

/** `read`: how many characters of the export have been read with these events. */
type ExportedBatch = { readonly events: ReadonlyArray<StoredEvent>; readonly read: number };

const eventOf = (
  { text, isEnded }: NumberedLine,
  reached: Position,
  chains: ChainVerifier,
): E.Either<string, StoredEvent> => {
  const parsed = parseLine(text);
  if (E.isLeft(parsed)) return isEnded ? parsed : E.left('is cut short: the export does not end with a whole line');
  const event = parsed.right;
  if (event.position <= reached) return E.left(`has position ${event.position}, which does not follow ${reached}`);
  const linked = chains.verify(event);
  return E.isLeft(linked) ? E.left(`breaks the chain of ${event.stream}: ${linked.left.reason}`) : E.right(event);
};

/**
 * The events of an export with data, in its order, in batches, each event checked against the chain of its stream.
 * Throws `BrokenLine` for the first line that does not fit, after it has given all events before it.
 */
export async function* readExport(
  chunks: AsyncIterable<Uint8Array>,
  chains: ChainVerifier,
): AsyncGenerator<ExportedBatch> {
  let events: Array<StoredEvent> = [];
  let [read, before] = [0, 0];
  let reached: Position = -1n;
  let broken: BrokenLine | undefined;
  try {
    for await (const line of linesOf(chunks)) {
      const event = eventOf(line, reached, chains);
      if (E.isLeft(event)) throw new BrokenLine(line.number, event.left);
      reached = event.right.position;
      events.push(event.right);
      read += line.text.length + 1;
      if (events.length < BATCH_EVENTS && read - before < BATCH_CHARACTERS) continue;
      yield { events, read };
      events = [];
      before = read;
    }
  } catch (error) {
    if (!(error instanceof BrokenLine)) throw error;
    broken = error;
  }
  if (events.length > 0) yield { events, read };
  if (broken !== undefined) throw broken;
}
