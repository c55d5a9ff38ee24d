import { either as E } from 'fp-ts';
import { isUuid } from '../../event-sourcing/uuid.js';
import type { EntityNotFound } from '../problem/failure.js';

export const entityNotFound = E.left<EntityNotFound>({ _tag: 'EntityNotFound' });

/** Every identifier was generated here as a UUID, so anything else identifies nothing, and no store is asked. */
export const recordId = (parameter: string | undefined): E.Either<EntityNotFound, string> =>
  parameter !== undefined && isUuid(parameter) ? E.right(parameter) : entityNotFound;
