import { Readable } from 'node:stream';
import type { BackupPlace } from '../../src/backup/backup-place.js';
import { FakeObjectStorage } from './fake-object-storage.js';
import { makeMemoryArchive } from './memory-archive.js';
import { makeMemoryTimestamps } from './memory-timestamps.js';

/** A backup in memory, which a test may look into and change. */
export const makeMemoryBackupPlace = () => {
  const segments = new Map<string, Buffer>();
  const secrets = new Map<string, string>();
  const manifests: Array<string> = [];
  const files = new FakeObjectStorage();
  const [archive, timestamps] = [makeMemoryArchive(), makeMemoryTimestamps()];
  const place: BackupPlace = {
    files,
    removeFiles: async (folder) => {
      const sum = { files: 0, fileBytes: 0 };
      for await (const { key, size } of files.list(`${folder}/`)) {
        await files.remove(key);
        sum.files += 1;
        sum.fileBytes += size;
      }
      return sum;
    },
    archive,
    timestamps,
    readManifest: () => Promise.resolve(manifests.at(-1)),
    writeManifest: (text) => Promise.resolve(void manifests.push(text)),
    writeSegment: async (name, chunks) => {
      const written: Array<Uint8Array> = [];
      for await (const chunk of chunks) written.push(chunk);
      segments.set(name, Buffer.concat(written));
    },
    openSegment: (name) => {
      const segment = segments.get(name);
      return Promise.resolve(segment && Readable.from([segment], { objectMode: false }));
    },
    writeSecret: (name, text) => Promise.resolve(void secrets.set(name, text)),
    readSecret: (name) => Promise.resolve(secrets.get(name)),
  };
  return {
    ...{ place, files, archive, timestamps, segments, secrets },
    /** Every manifest that was written, the oldest first. */
    manifests,
  };
};
