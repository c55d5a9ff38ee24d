import type { Problem } from './problem.js';

export type ErrorObject = Omit<Problem, 'closes' | 'headers'>;

/** The error object of the contract, with what tells programs and operators which failure it was. */
export const errorBody = (error: ErrorObject, requestId: string): object => {
  const { name, message, status, code, roles, errors, checks } = error;
  return { name, message, status, code, requestId, roles, errors, checks };
};
