import { closeSync, constants, openSync, readSync } from 'node:fs';
import { standStill } from './stand-still.js';

/** A file that can be read, and has nothing that could be meant as a secret. */
export class UnusableSecret extends Error {}

/** A secret is short: what is longer is another file, or a device without an end. */
const MOST_BYTES = 1024 * 1024;

/** How often a program at the other end of a pipe is waited for so long: it may think for 10 s. */
const MOST_WAITS = 1_000;
const WAIT_MS = 10;

/** How many bytes were read; undefined: none is there yet. */
const readNow = (fd: number, into: Uint8Array): number | undefined => {
  try {
    return readSync(fd, into);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined;
    throw error;
  }
};

const readBytes = (fd: number): Uint8Array => {
  const bytes = new Uint8Array(MOST_BYTES + 1);
  for (let [length, waits] = [0, 0]; ;) {
    const count = readNow(fd, bytes.subarray(length));
    if (count === undefined) {
      if (waits === MOST_WAITS) throw new UnusableSecret('gives nothing, or does not end');
      waits += 1;
      standStill(WAIT_MS);
    } else if (count === 0) return bytes.subarray(0, length);
    else if ((length += count) > MOST_BYTES) throw new UnusableSecret('is larger than 1 MiB');
  }
};

/**
 * The text of a file, or of a pipe that somebody writes into. Throws `UnusableSecret`, also for bytes that are no text: a
 * secret of which some are replaced is another one, and nobody else has it.
 */
export const readSecretFile = (file: string): string => {
  // otherwise opening a named pipe waits until somebody writes into it
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readBytes(fd));
  } catch (error) {
    throw error instanceof TypeError
      ? new UnusableSecret('has bytes that are not UTF-8: write the secret as text, for example in Base64')
      : error;
  } finally {
    closeSync(fd);
  }
};
