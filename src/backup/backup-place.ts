import type { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import type { ObjectStorage } from '../application/ports.js';
import type { FileContents } from '../read/get-file.js';
import type { CheckpointArchive } from '../sealing/checkpoint-archive.js';
import type { TimestampArchive } from '../sealing/timestamp-archive.js';
import { BackupFault } from './backup-fault.js';
import { type Manifest, parseManifest } from './manifest.js';

/** Where a backup is kept. All functions reject with `BackupFault` where that place does not work. */
export type BackupPlace = {
  /** The files that events name, by their keys. */
  readonly files: Pick<ObjectStorage, 'put'> & FileContents;
  /** Removes the files directly below a folder for good, and says how much that was. */
  readonly removeFiles: (folder: string) => Promise<{ readonly files: number; readonly fileBytes: number }>;
  /** The checkpoints that were in the file storage. */
  readonly archive: CheckpointArchive;
  /** The timestamps that were beside them. */
  readonly timestamps: TimestampArchive;
  /** Undefined where there is none. */
  readonly readManifest: () => Promise<string | undefined>;
  /** Whole and durable when it resolves, in place of the one before. */
  readonly writeManifest: (text: string) => Promise<void>;
  /** Whole and durable when it resolves, in place of one of that name. */
  readonly writeSegment: (name: string, chunks: AsyncIterable<Uint8Array>) => Promise<void>;
  /** Undefined where there is none of that name. */
  readonly openSegment: (name: string) => Promise<Readable | undefined>;
  /** Durable when it resolves, in place of one of that name, and readable by the owner of the backup only. */
  readonly writeSecret: (name: string, text: string) => Promise<void>;
  /** Undefined where there is none of that name. */
  readonly readSecret: (name: string) => Promise<string | undefined>;
};

/** The manifest of a backup; undefined where there is none. Throws `BackupFault` where it cannot be read. */
export const findManifest = async (place: Pick<BackupPlace, 'readManifest'>): Promise<Manifest | undefined> => {
  const text = await place.readManifest();
  if (text === undefined) return undefined;
  const manifest = parseManifest(text);
  if (E.isLeft(manifest)) throw new BackupFault(`manifest.json cannot be used: ${manifest.left}`);
  return manifest.right;
};

/** The manifest of a backup. Throws `BackupFault` where there is none, or none that can be read. */
export const readManifest = async (place: Pick<BackupPlace, 'readManifest'>): Promise<Manifest> => {
  const manifest = await findManifest(place);
  if (manifest === undefined) throw new BackupFault('there is no backup: manifest.json is missing');
  return manifest;
};
