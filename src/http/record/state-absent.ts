import { either as E } from 'fp-ts';
import type { EntityReads } from '../../read/entity-reads.js';
import type { AsOf } from '../../read/history.js';
import type { Failure } from '../problem/failure.js';
import { entityNotFound } from './record-id.js';

const revisionNotFound = E.left<Failure>({ _tag: 'RevisionNotFound' });

/**
 * Why there is nothing to show of a record: it does not exist, or it does (or did), but not then. The log is asked only
 * where a state of the past was.
 */
export const stateAbsent = async (
  { newestRevision }: Pick<EntityReads<never>, 'newestRevision'>,
  id: string,
  asOf: AsOf,
): Promise<E.Either<Failure, never>> => {
  if (asOf._tag === 'Now') return entityNotFound;
  const newest = await newestRevision(id);
  return E.isLeft(newest) ? newest : revisionNotFound;
};
