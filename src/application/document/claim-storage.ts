import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import type { EventStore, StoreUnavailable } from '../../event-sourcing/event-store.js';
import type { ObjectStorage, StorageUnavailable, UploadAborted } from '../ports.js';

/** The storage holds the files of another log (or of two): what this log does not name may not be removed there. */
type StorageOfAnotherLog = { readonly _tag: 'StorageOfAnotherLog' };

export type ClaimFailure = StoreUnavailable | StorageUnavailable | UploadAborted | StorageOfAnotherLog;

type ClaimDeps = {
  readonly store: Pick<EventStore, 'identity'>;
  readonly storage: Pick<ObjectStorage, 'put' | 'list'>;
};

const MARKS = 'log/';

const markOf = (identity: string): string => MARKS + createHash('sha256').update(identity).digest('hex');

const marksIn = async ({ list }: Pick<ObjectStorage, 'list'>): Promise<E.Either<StorageUnavailable, Set<string>>> => {
  const marks = new Set<string>();
  try {
    for await (const { key } of list(MARKS)) marks.add(key);
    return E.right(marks);
  } catch (cause) {
    return E.left({ _tag: 'StorageUnavailable', cause });
  }
};

/** `MarkedNow`: whether another log has marked it at the same time is seen the next time, so nothing may go before. */
type Claim = 'Ours' | 'MarkedNow';

/**
 * Marks the storage as this log's, once, and makes sure that it carries no other log's mark: a service that was
 * started on an empty log and last year's bucket would else take every file there for one that no event names.
 */
export const claimStorage = async ({ store, storage }: ClaimDeps): Promise<E.Either<ClaimFailure, Claim>> => {
  const identity = await store.identity();
  if (E.isLeft(identity)) return identity;
  const mark = markOf(identity.right);
  const marks = await marksIn(storage);
  if (E.isLeft(marks)) return marks;
  if (marks.right.size === 0) {
    const put = await storage.put(mark, Readable.from([Buffer.from(identity.right)]));
    return E.isLeft(put) ? put : E.right('MarkedNow');
  }
  return marks.right.size === 1 && marks.right.has(mark) ? E.right('Ours') : E.left({ _tag: 'StorageOfAnotherLog' });
};
