import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { BackupFault } from './backup-fault.js';
import type { BackupPlace } from './backup-place.js';
import type { SegmentFile, SegmentFolder } from './manifest.js';
import { reasonOf } from '../event-sourcing/reason-of.js';

/** The name of the segment that follows so many. */
export const segmentName = (folder: SegmentFolder, before: number): string =>
  `${folder}/${String(before + 1).padStart(8, '0')}.ndjson.gz`;

/** Compresses lines into a segment. Rejects with what `lines` throws, and then there is no such segment. */
export const writeSegment = async (
  { writeSegment: write }: Pick<BackupPlace, 'writeSegment'>,
  name: string,
  lines: AsyncIterable<Buffer>,
): Promise<SegmentFile> => {
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(lines, createGzip(), async (compressed: AsyncIterable<Buffer>) => {
    const measured = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of compressed) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    };
    await write(name, measured());
  });
  return { name, sha256: hash.digest('hex'), bytes };
};

/** The bytes of a segment. Throws `BackupFault` where it is missing or cannot be read. */
async function* bytesOf({ openSegment }: Pick<BackupPlace, 'openSegment'>, name: string): AsyncGenerator<Buffer> {
  const segment = await openSegment(name);
  if (segment === undefined) throw new BackupFault(`${name} is missing`);
  try {
    // reason: a file is a byte stream; Readable itself is typed for objects too
    yield* segment as AsyncIterable<Buffer>;
  } catch (cause) {
    throw new BackupFault(`${name} cannot be read: ${reasonOf(cause)}`, { cause });
  }
}

/** Throws `BackupFault` unless the segment has the bytes that it was written with. */
const checkSegment = async (
  place: Pick<BackupPlace, 'openSegment'>,
  { name, sha256, bytes }: SegmentFile,
): Promise<void> => {
  const hash = createHash('sha256');
  let read = 0;
  for await (const chunk of bytesOf(place, name)) {
    hash.update(chunk);
    read += chunk.length;
  }
  if (read !== bytes) throw new BackupFault(`${name} has ${read} bytes, the manifest says ${bytes}`);
  if (hash.digest('hex') !== sha256)
    throw new BackupFault(`${name} was changed: its SHA-256 is not that of the manifest`);
};

/**
 * The text of a segment. It is read twice, so that nothing of one that was changed is given. Throws `BackupFault`.
 */
export async function* readSegment(
  place: Pick<BackupPlace, 'openSegment'>,
  segment: SegmentFile,
): AsyncGenerator<Uint8Array> {
  await checkSegment(place, segment);
  const text = createGunzip();
  // what fails there ends the reading of the text
  void pipeline(bytesOf(place, segment.name), text).catch(() => undefined);
  // reason: a file is a byte stream; Readable itself is typed for objects too
  yield* text as AsyncIterable<Buffer>;
}
