import type { CheckpointObjects, FoundObject } from '../checkpoints/checkpoint-objects.js';
import type { Bucket } from './bucket.js';
import { retryRequest } from './retry-request.js';

const PAGE = 1000; // the most that S3 returns at once
const SEPARATOR = '/';

/** What the library makes of an entry of a listing; a folder has a `prefix`. Its types lack the versions. */
type Listed = {
  readonly name?: string;
  readonly prefix?: string;
  readonly versionId?: unknown;
  readonly isDeleteMarker?: unknown;
};

type Page = { readonly entries: ReadonlyArray<Listed>; readonly next: string | undefined };

type ReadPage = (from: string) => Promise<Page>;

const requireProgress = (isTruncated: boolean | undefined, next: string, from: string): string | undefined => {
  if (isTruncated !== true) return undefined;
  if (next === '' || next === from) throw new Error('the server says that more objects follow, but not where');
  return next;
};

const currentObjects =
  ({ runtime, client, name }: Bucket, prefix: string, after: string): ReadPage =>
  async (from) => {
    const page = await retryRequest(runtime, () =>
      client.listObjectsV2Query(name, prefix, from, SEPARATOR, PAGE, after),
    );
    return { entries: page.objects, next: requireProgress(page.isTruncated, page.nextContinuationToken, from) };
  };

/** Two markers as one text: no key has a space, and no version either. */
const markers = (keyMarker = '', versionIdMarker = ''): string =>
  keyMarker === '' ? '' : `${keyMarker} ${versionIdMarker}`;

// the server gives a key encoded, and the library passes markers on as they are
const encoded = (marker: string): string => encodeURIComponent(decodeURIComponent(marker));

/** All versions, also of objects over which something was written or that were deleted since. */
const allVersions =
  ({ runtime, client, name }: Bucket, prefix: string, after: string): ReadPage =>
  async (from) => {
    const [keyMarker = '', versionIdMarker = ''] = from === '' ? [after] : from.split(' ');
    const page = await retryRequest(runtime, () =>
      client.listObjectsQuery(name, prefix, '', {
        ...{ Delimiter: SEPARATOR, MaxKeys: PAGE, IncludeVersion: true },
        ...{ keyMarker: encoded(keyMarker), versionIdMarker: encoded(versionIdMarker) },
      }),
    );
    const next = markers(page.keyMarker, page.versionIdMarker);
    return { entries: page.objects, next: requireProgress(page.isTruncated, next, from) };
  };

const objectOf = ({ name, versionId, isDeleteMarker }: Listed): FoundObject | undefined => {
  if (name === undefined || name === '' || isDeleteMarker === true) return undefined;
  return typeof versionId === 'string' ? { key: name, version: versionId } : { key: name };
};

/**
 * The folders and objects in a folder. In a bucket with object lock, all versions that were ever stored: there a lock keeps
 * each version, but not others from being stored over it, and not a mark that it was deleted.
 */
export const listFolder =
  (bucket: Bucket): CheckpointObjects['list'] =>
  async (folder, from) => {
    const prefix = `${folder}${SEPARATOR}`;
    // `from` itself comes after it, also as a folder
    const after = from === '' ? '' : `${prefix}${from.slice(0, -1)}`;
    const readPage = (bucket.lock === 'None' ? currentObjects : allVersions)(bucket, prefix, after);
    const folders = new Set<string>();
    const objects: Array<FoundObject> = [];
    for (let next: string | undefined = ''; next !== undefined;) {
      const page: Page = await readPage(next);
      for (const entry of page.entries) {
        if (entry.prefix !== undefined) folders.add(entry.prefix.slice(prefix.length, -1));
        const object = objectOf(entry);
        if (object !== undefined && object.key.slice(prefix.length) >= from) objects.push(object);
      }
      next = page.next;
    }
    return { folders: [...folders].filter((name) => name >= from), objects };
  };

/** Every version of an object below a folder, and every mark that one was deleted. In a bucket without versions: the objects. */
export async function* listVersions(bucket: Bucket, folder: string): AsyncGenerator<FoundObject> {
  const readPage = allVersions(bucket, `${folder}${SEPARATOR}`, '');
  for (let next: string | undefined = ''; next !== undefined;) {
    const page: Page = await readPage(next);
    for (const { name, versionId } of page.entries)
      if (name !== undefined && name !== '')
        yield typeof versionId === 'string' ? { key: name, version: versionId } : { key: name };
    next = page.next;
  }
}
