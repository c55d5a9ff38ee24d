import { type FileHandle, open } from 'node:fs/promises';
import { devNull } from 'node:os';

type Calls = Pick<FileHandle, 'writeFile' | 'sync'>;

const prototypeOfHandles = async (): Promise<Calls> => {
  const handle = await open(devNull);
  await handle.close();
  return Object.getPrototypeOf(handle) as Calls;
};

/** Lets every open file's `call` do what `instead` does, given the original, until the function it gives is called. */
export const replaceOnFileHandles = async (
  name: keyof Calls,
  instead: (original: () => Promise<void>) => Promise<void>,
): Promise<() => void> => {
  const prototype = await prototypeOfHandles();
  const original = prototype[name] as (...args: Array<unknown>) => Promise<void>;
  prototype[name] = function (this: FileHandle, ...args: Array<unknown>) {
    return instead(() => original.apply(this, args));
  };
  return () => {
    prototype[name] = original;
  };
};

/** An error with a `code`, as Node's errors of system calls have it. */
export const systemError = (code: string): Error => Object.assign(new Error(code), { code });
