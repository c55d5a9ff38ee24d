/** Longest line, bytes: an append of a megabyte with its escapes, and the other members of its event. */
const LONGEST = 4 * 1024 * 1024;

export type NumberedLine = {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** A last line may lack its line break. */
  readonly isEnded: boolean;
};

/** Line `line` (from 1) cannot be read, or is not what follows the lines before it. */
export class BrokenLine extends Error {
  readonly _tag = 'BrokenLine';
  readonly line: number;
  constructor(line: number, reason: string) {
    super(`line ${line} ${reason}`);
    this.name = 'BrokenLine';
    this.line = line;
  }
}

/** Lines of UTF-8 text, one at a time. Throws `BrokenLine` for one that is too long or no UTF-8. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<NumberedLine> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let held: Array<Uint8Array> = [];
  let bytes = 0;
  let number = 0;

  const hold = (piece: Uint8Array): void => {
    held.push(piece);
    bytes += piece.length;
    if (bytes > LONGEST) throw new BrokenLine(number + 1, `is longer than ${LONGEST} bytes`);
  };
  const taken = (isEnded: boolean): NumberedLine => {
    number += 1;
    const line = Buffer.concat(held);
    held = [];
    bytes = 0;
    try {
      return { number, text: decoder.decode(line), isEnded };
    } catch {
      throw new BrokenLine(number, 'is not UTF-8');
    }
  };

  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      hold(chunk.subarray(start, end));
      yield taken(true);
      start = end + 1;
    }
    hold(chunk.subarray(start));
  }
  if (bytes > 0) yield taken(false);
}
