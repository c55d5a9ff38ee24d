import { once } from 'node:events';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

/** A ZIP that is written member by member, at the pace of what takes it; it remembers no more than the names and sizes. */
type Zip = {
  /** Resolves when all of the content has been taken. Rejects with what the content, or what takes the ZIP, fails with. */
  readonly add: (name: string, content: AsyncIterable<Buffer>) => Promise<void>;
  /** Writes the directory, and resolves when all has been taken and the output has been closed. */
  readonly end: () => Promise<void>;
};

const MODE = 0o100644;

/** Begins a ZIP, the members of which all have this time. */
export const makeZip = (output: Writable, mtime: Date): Zip => {
  const zip = new ZipFile();
  const written = pipeline(zip.outputStream, output);
  let stop: (error: unknown) => void = () => undefined;
  let failure: { readonly error: unknown } | undefined;
  // told to whoever adds at the time, or adds next
  written.catch((error: unknown) => {
    failure = { error };
    stop(error);
  });

  return {
    add: async (name, content) => {
      if (failure !== undefined) throw failure.error;
      const source = Readable.from(content, { objectMode: false });
      stop = (error) => source.destroy(error instanceof Error ? error : new Error(String(error)));
      zip.addReadStreamLazy(name, { mtime, mode: MODE }, (take) => take(undefined, source));
      await once(source, 'end');
    },
    end: async () => {
      zip.end();
      await written;
    },
  };
};
