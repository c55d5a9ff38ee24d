import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

type ZipMember = { readonly name: string; readonly content: () => AsyncIterable<Buffer> };

const MODE = 0o100644;

/**
 * Writes a ZIP of these members, which all have this time, at the pace of what takes it, and closes that. A content is read
 * when its turn has come. Rejects with what a content, or what takes the ZIP, fails with. Ends at once when the signal
 * aborts, also in the middle of a content.
 */
export const writeZip = async (
  members: ReadonlyArray<ZipMember>,
  output: Writable,
  mtime: Date,
  signal?: AbortSignal,
): Promise<void> => {
  const zip = new ZipFile();
  const stopping = new AbortController();
  let failure: Error | undefined;
  let reading: Readable | undefined;
  // All at once: the library keeps a short Buffer of each name, which shares its memory with what is allocated around it.
  for (const { name, content } of members)
    zip.addReadStreamLazy(name, { mtime, mode: MODE }, (take) => {
      reading = Readable.from(content(), { objectMode: false });
      reading.once('error', (error) => {
        failure = error;
        stopping.abort();
      });
      take(undefined, reading);
    });
  zip.end();
  const ends = signal === undefined ? stopping.signal : AbortSignal.any([stopping.signal, signal]);
  try {
    await pipeline(zip.outputStream, output, { signal: ends });
  } catch (error) {
    throw failure ?? error;
  } finally {
    reading?.destroy();
  }
};
