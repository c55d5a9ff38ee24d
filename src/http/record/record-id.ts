import { either as E } from 'fp-ts';
import type { EntityNotFound } from '../problem/failure.js';

// Every identifier was minted here. One of any other form is of nothing, and no store need ever see it.
const MINTED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const notFound = E.left<EntityNotFound>({ _tag: 'EntityNotFound' });

export const recordId = (parameter: string | undefined): E.Either<EntityNotFound, string> =>
  parameter !== undefined && MINTED.test(parameter) ? E.right(parameter) : notFound;
