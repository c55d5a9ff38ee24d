import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import { attempt } from '../../event-sourcing/attempt.js';
import type { EventStore, StoreUnavailable } from '../../event-sourcing/event-store.js';
import type { ObjectStorage, StorageUnavailable, UploadAborted } from '../ports.js';

/** The storage holds files of another log too: one that this log does not name may be named by that one. */
type StorageOfAnotherLog = { readonly _tag: 'StorageOfAnotherLog' };

export type ClaimFailure = StoreUnavailable | StorageUnavailable | UploadAborted | StorageOfAnotherLog;

type ClaimDeps = {
  readonly store: Pick<EventStore, 'identity'>;
  readonly storage: Pick<ObjectStorage, 'put' | 'list'>;
};

const MARKS = 'log/';

const markOf = (identity: string): string => MARKS + createHash('sha256').update(identity).digest('hex');

const marksIn = ({ list }: Pick<ObjectStorage, 'list'>): Promise<E.Either<StorageUnavailable, Set<string>>> =>
  attempt(
    async () => {
      const marks = new Set<string>();
      for await (const { key } of list(MARKS)) marks.add(key);
      return marks;
    },
    (cause) => ({ _tag: 'StorageUnavailable', cause }),
  );

/** After `MarkedNow` nothing may be removed yet: only the next claim sees whether another log was marked at the same time. */
type Claim = 'Ours' | 'MarkedNow';

/**
 * Marks the storage as this log's, once, and makes sure that it carries no other log's mark. Otherwise a service that
 * was started on an empty log and an old bucket would remove every file there, as no event of its log names them.
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
