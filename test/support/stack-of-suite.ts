import { type Call, call, type Reply } from './client.js';
import { startMemoryStack } from './memory-stack.js';
import type { Stack } from './running-stack.js';

export type StackOfSuite = {
  /** The stack, once the suite runs. */
  readonly stack: () => Stack;
  /** Calls as an admin, alice, unless `as` says otherwise. */
  readonly call: (method: string, path: string, given?: Call) => Promise<Reply>;
};

/** Starts a stack before the tests of the suite in which it is called, and stops it after them; without `start`, in memory. */
export const stackOfSuite = (start: () => Promise<Stack> = startMemoryStack): StackOfSuite => {
  let stack: Stack;
  let as: string;
  before(async () => {
    stack = await start();
    as = stack.tokenFor('admin');
  });
  after(() => stack.stop());
  return { stack: () => stack, call: (method, path, given = {}) => call(stack, method, path, { as, ...given }) };
};
