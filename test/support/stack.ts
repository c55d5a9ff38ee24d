import { startDistributedStack, startEmbeddedStack } from './composed-stack.js';
import { startMemoryStack } from './memory-stack.js';
import type { Stack } from './running-stack.js';

export type { Stack } from './running-stack.js';

const stacks: Readonly<Record<string, () => Promise<Stack>>> = {
  memory: startMemoryStack,
  embedded: startEmbeddedStack,
  'eventstoredb-s3': startDistributedStack,
};

/** Starts the stack that the environment names in `STACK`; without it the one in memory. */
export const startStack = (): Promise<Stack> => {
  const name = process.env['STACK'] ?? 'memory';
  const start = stacks[name];
  if (start === undefined) throw new Error(`STACK is none of ${Object.keys(stacks).join(', ')}`);
  return start();
};
