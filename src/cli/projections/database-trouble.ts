import { reasonOf } from '../../infrastructure/logging/reason-of.js';
import { isDatabaseError } from '../../postgres/sql-failure.js';

/** Why the read models' database did not do what it was asked; undefined for an error of another kind. */
export const databaseTrouble = (error: unknown): string | undefined => {
  if (!isDatabaseError(error)) return undefined;
  // Postgres answered, for instance that a lock was not to be had in time
  if ('severity' in error) return `the database of the read models refuses: ${error.message}`;
  return `the database of the read models does not answer: ${reasonOf(error)}`;
};
