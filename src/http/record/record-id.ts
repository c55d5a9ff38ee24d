import { either as E } from 'fp-ts';
import { isUuid } from '../../event-sourcing/uuid.js';
import type { EntityNotFound } from '../problem/failure.js';

const notFound = E.left<EntityNotFound>({ _tag: 'EntityNotFound' });

/** Every identifier was minted here: one of any other form is of nothing, and no store need ever see it. */
export const recordId = (parameter: string | undefined): E.Either<EntityNotFound, string> =>
  parameter !== undefined && isUuid(parameter) ? E.right(parameter) : notFound;
