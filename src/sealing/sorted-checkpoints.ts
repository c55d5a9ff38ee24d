import { HASH_BYTES, type Hash } from '../seal/hash.js';

type SizeAndRoot = { readonly size: number; readonly root: Hash };

/** Many checkpoints in the order of their sizes, 40 bytes each. */
export type SortedCheckpoints = {
  readonly peek: () => SizeAndRoot | undefined;
  readonly next: () => void;
};

/** Sorts checkpoints that come in no order. */
export const sortCheckpoints = async (checkpoints: AsyncIterable<SizeAndRoot>): Promise<SortedCheckpoints> => {
  const sizes: Array<number> = [];
  let roots = Buffer.alloc(HASH_BYTES * 1_024);
  for await (const { size, root } of checkpoints) {
    const at = sizes.push(size) - 1;
    if ((at + 1) * HASH_BYTES > roots.length) roots = Buffer.concat([roots, Buffer.alloc(roots.length)]);
    root.copy(roots, at * HASH_BYTES);
  }
  const order = Uint32Array.from(sizes.keys()).sort((one, other) => (sizes[one] ?? 0) - (sizes[other] ?? 0));
  let read = 0;
  return {
    peek: () => {
      const at = order[read];
      const size = at === undefined ? undefined : sizes[at];
      if (at === undefined || size === undefined) return undefined;
      return { size, root: roots.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES) };
    },
    next: () => void (read += 1),
  };
};
