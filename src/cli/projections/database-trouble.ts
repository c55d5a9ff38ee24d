import { reasonOf } from '../../infrastructure/logging/reason-of.js';

/** What the driver says, in plain errors, of a connection that is lost or not to be had. */
const LOST = /^(Connection terminated|Client has encountered a connection error|timeout exceeded|Query read timeout)/;

/** What Postgres answered, such as that a lock was not to be had in time. */
const isAnswer = (error: Error): boolean => 'severity' in error;

/** Why the read models' database did not do what it was asked; undefined for an error of another kind. */
export const databaseTrouble = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  if (isAnswer(error)) return `the database of the read models refuses: ${error.message}`;
  return 'syscall' in error || error instanceof AggregateError || LOST.test(error.message)
    ? `the database of the read models does not answer: ${reasonOf(error)}`
    : undefined;
};
