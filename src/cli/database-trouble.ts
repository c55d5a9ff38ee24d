import { reasonOf } from '../event-sourcing/reason-of.js';
import { isDatabaseError } from '../postgres/sql-failure.js';

/** Describes an error of the read models' database; undefined for an error of another kind. */
export const databaseTrouble = (error: unknown): string | undefined => {
  if (!isDatabaseError(error)) return undefined;
  // Postgres answered with an error, for instance that it did not get a lock in time
  if ('severity' in error) return `the database of the read models reports an error: ${error.message}`;
  return `the database of the read models does not answer: ${reasonOf(error)}`;
};
