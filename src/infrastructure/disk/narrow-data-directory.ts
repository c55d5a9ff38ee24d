import { chmod, lstat, stat } from 'node:fs/promises';
import path from 'node:path';
import { reasonOf } from '../../event-sourcing/reason-of.js';
import { OWN_SECRETS } from './own-secrets.js';

/** What was found too wide, and what became of it: the mode as digits, why it could not be set otherwise. */
export type Narrowed = { readonly place: string; readonly was: string; readonly is: string; readonly failed?: string };

/** Bits that a shared directory like `/tmp` has: its mode is meant. */
const STICKY = 0o1000;

const digits = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0');

/** What cannot be looked at is not narrowed: who opens the directory next says what is wrong with it. */
const ifSeen = <A>(look: Promise<A>): Promise<A | undefined> => look.catch(() => undefined);

const narrow = async (place: string, mode: number, allowed: number): Promise<ReadonlyArray<Narrowed>> => {
  const wanted = mode & 0o7777 & (allowed | 0o7000);
  if (wanted === (mode & 0o7777)) return [];
  const narrowed = { place, was: digits(mode), is: digits(wanted) };
  return chmod(place, wanted).then(
    () => [narrowed],
    (cause: unknown) => [{ ...narrowed, is: digits(mode), failed: reasonOf(cause) }],
  );
};

/**
 * Takes from others what they may do with a data directory and the secrets in it that the service made, where `uid`, the
 * account of this process, owns them: an earlier version, a copy or a hand may have left them open. Root lets others pass
 * through the directory, as it starts Postgres as another account. `uid` undefined: Windows, which has no modes.
 */
export const narrowDataDirectory = async (dataDir: string, uid?: number): Promise<ReadonlyArray<Narrowed>> => {
  const directory = path.resolve(dataDir);
  const found = await ifSeen(stat(directory));
  if (found?.isDirectory() !== true || uid === undefined) return [];
  const isOurs = found.uid === uid && (found.mode & STICKY) === 0;
  const narrowed = isOurs ? [...(await narrow(directory, found.mode, uid === 0 ? 0o711 : 0o700))] : [];
  for (const { file } of Object.values(OWN_SECRETS)) {
    const place = path.join(directory, file);
    // not what a link leads to: somebody else looks after that
    const secret = await ifSeen(lstat(place));
    if (secret?.isFile() === true && secret.uid === uid) narrowed.push(...(await narrow(place, secret.mode, 0o600)));
  }
  return narrowed;
};
