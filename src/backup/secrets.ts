import { createHash } from 'node:crypto';
import { BackupFault } from './backup-fault.js';
import type { BackupPlace } from './backup-place.js';
import type { Manifest, SecretFile } from './manifest.js';

/** A secret that a service has made: the file of its data directory, and what that holds. */
export type Secret = { readonly name: string; readonly text: string };

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Those of a backup that are not to be written anew with another text. */
export const withoutChanged = (
  known: ReadonlyArray<SecretFile>,
  secrets: ReadonlyArray<Secret>,
): ReadonlyArray<SecretFile> =>
  known.filter((file) => secrets.every(({ name, text }) => name !== file.name || sha256(text) === file.sha256));

/** Writes secrets that a backup does not have yet; what is in it afterwards, those of earlier runs as well. */
export const writeSecrets = async (
  place: Pick<BackupPlace, 'writeSecret'>,
  known: ReadonlyArray<SecretFile>,
  secrets: ReadonlyArray<Secret>,
): Promise<ReadonlyArray<SecretFile>> => {
  const files = new Map(known.map((file) => [file.name, file]));
  for (const { name, text } of secrets) {
    await place.writeSecret(name, text);
    files.set(name, { name, sha256: sha256(text) });
  }
  return [...files.values()];
};

/** The secrets of a backup. Throws `BackupFault` where one is missing or is another one. */
export const readSecrets = async (
  place: Pick<BackupPlace, 'readSecret'>,
  { secrets }: Pick<Manifest, 'secrets'>,
): Promise<ReadonlyArray<Secret>> =>
  Promise.all(
    secrets.map(async (file) => {
      const text = await place.readSecret(file.name);
      if (text === undefined) throw new BackupFault(`secrets/${file.name} is missing`);
      if (sha256(text) !== file.sha256)
        throw new BackupFault(`secrets/${file.name} was changed: its SHA-256 is not that of the manifest`);
      return { name: file.name, text };
    }),
  );
