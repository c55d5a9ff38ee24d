import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { either as E } from 'fp-ts';
import type { ObjectStorage, StoredObject } from '../../src/application/ports.js';
import { makeNews } from './news.js';
import { takeBody } from '../../src/infrastructure/upload-body.js';
import type { ByteRange, FileContents } from '../../src/read/get-file.js';

type Behaviour = {
  /** Fails after so many bytes of an object. */
  readonly failAfter?: number;
  /** Keeps sizes only, for bodies that are too large to hold. */
  readonly countOnly?: boolean;
  /** Bytes of a chunk when an object is read. */
  readonly chunk?: number;
};

type Kept = { readonly size: number; readonly content: Buffer };

function* pieces({ size, content }: Kept, { first, last }: ByteRange, chunk: number): Generator<Buffer> {
  for (let start = first; start <= last; start += chunk) {
    const end = Math.min(start + chunk, last + 1);
    yield content.length === size ? content.subarray(start, end) : Buffer.alloc(end - start);
  }
}

/** Objects in memory, with failures and slowness on demand, and what tests want to know of it. */
export class FakeObjectStorage implements ObjectStorage, FileContents {
  readonly objects = new Map<string, Kept>();
  /** Told of whatever changes in it. */
  readonly news = makeNews();
  /** When objects were stored, where it matters; else long ago. */
  readonly modifiedAt = new Map<string, Date>();
  behaviour: Behaviour = {};
  readonly heldPerPut = 0;
  /** Bytes that have come, of all objects, also of those that were broken off. */
  received = 0;
  /** Objects that were ever complete. */
  completed = 0;
  /** Bodies that are being written. */
  writing = 0;
  /** Streams handed out and not yet closed. */
  opened = 0;
  /** Bytes asked of the streams handed out. */
  given = 0;

  readonly put: ObjectStorage['put'] = (key, body) =>
    takeBody(body, async (chunks) => {
      this.writing += 1;
      this.news.tell();
      try {
        this.objects.set(key, await this.#keep(chunks));
        this.completed += 1;
        this.news.tell();
      } finally {
        this.writing -= 1;
        this.news.tell();
      }
    });

  readonly remove: ObjectStorage['remove'] = (key) => {
    this.objects.delete(key);
    return Promise.resolve(E.right(undefined));
  };

  readonly open: FileContents['open'] = (key, range) => {
    const kept = this.objects.get(key);
    if (kept === undefined) return Promise.resolve(E.left({ _tag: 'FileMissing', reason: 'there is no such object' }));
    if (range !== undefined && range.last >= kept.size)
      return Promise.resolve(E.left({ _tag: 'FileTooShort', reason: `the object has ${kept.size} bytes` }));
    const { chunk = 64 * 1024 } = this.behaviour;
    const counted = this.#give(pieces(kept, range ?? { first: 0, last: kept.size - 1 }, chunk));
    const stream = Readable.from(counted, { objectMode: false, highWaterMark: chunk });
    this.opened += 1;
    stream.once('close', () => {
      this.opened -= 1;
      this.news.tell();
    });
    return Promise.resolve(E.right(stream));
  };

  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous, memory is not
  async *list(prefix: string): AsyncGenerator<StoredObject> {
    for (const [key, { size }] of this.objects)
      if (key.startsWith(prefix)) yield { key, size, modifiedAt: this.modifiedAt.get(key) ?? new Date(0) };
  }

  readonly clearUnfinished: ObjectStorage['clearUnfinished'] = () => Promise.resolve(E.right(0));

  async #keep(chunks: AsyncIterable<Uint8Array>): Promise<Kept> {
    const { failAfter = Infinity, countOnly = false } = this.behaviour;
    const content: Array<Uint8Array> = [];
    let size = 0;
    for await (const chunk of chunks) {
      this.received += chunk.length;
      size += chunk.length;
      this.news.tell();
      if (size > failAfter) throw new Error('disk full');
      if (!countOnly) content.push(Buffer.from(chunk));
      await turn();
    }
    return { size, content: Buffer.concat(content) };
  }

  *#give(chunks: Iterable<Buffer>): Generator<Buffer> {
    for (const chunk of chunks) {
      this.given += chunk.length;
      yield chunk;
    }
  }
}
