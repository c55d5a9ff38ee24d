import { startMemoryStack } from './memory-stack.js';

/** A running service, whatever it runs on. */
export type Stack = {
  /** `http://host:port`, without the API's prefix. */
  readonly baseUrl: string;
  readonly tokenFor: (roles: string | ReadonlyArray<string>, subject?: string) => string;
  readonly stop: () => Promise<void>;
};

const stacks: Readonly<Record<string, () => Promise<Stack>>> = { memory: startMemoryStack };

/** Starts the stack that the environment names in `STACK`; without it the one in memory. */
export const startStack = (): Promise<Stack> => {
  const name = process.env['STACK'] ?? 'memory';
  const start = stacks[name];
  if (start === undefined) throw new Error(`STACK is none of ${Object.keys(stacks).join(', ')}`);
  return start();
};
