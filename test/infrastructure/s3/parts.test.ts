import { Readable } from 'node:stream';
import { expect } from 'chai';
import { PART_BYTES, partsOf } from '../../../src/infrastructure/s3/parts.js';
import { contentOf } from '../../support/bodies.js';

const cut = (content: Buffer, lengths: ReadonlyArray<number>): AsyncIterable<Buffer> => {
  let start = 0;
  return Readable.from(lengths.map((length) => content.subarray(start, (start += length))));
};

const partsWhen = async (lengths: ReadonlyArray<number>) => {
  const content = contentOf(lengths.reduce((sum, length) => sum + length, 0));
  const parts: Array<Buffer> = [];
  // copied: the parts share their memory
  for await (const part of partsOf(cut(content, lengths))) parts.push(Buffer.from(part));
  return { lengths: parts.map(({ length }) => length), isWhole: Buffer.concat(parts).equals(content) };
};

describe('a body cut into parts', () => {
  for (const [words, lengths, expected] of [
    ['an empty body is one empty part', [], [0]],
    ['empty chunks count for nothing', [0, 3, 0], [3]],
    ['a short body is one part', [10, 20], [30]],
    ['a body of a part is that part alone', [PART_BYTES - 1, 1], [PART_BYTES]],
    ['what goes beyond a part begins the next', [PART_BYTES - 1, 3], [PART_BYTES, 2]],
    ['a chunk may be longer than a part', [5, 2 * PART_BYTES], [PART_BYTES, PART_BYTES, 5]],
  ] as const) {
    it(words, async () => expect(await partsWhen(lengths)).to.deep.equal({ lengths: expected, isWhole: true }));
  }
});
