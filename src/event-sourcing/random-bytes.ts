import { randomFillSync } from 'node:crypto';

const drawn = Buffer.allocUnsafeSlow(4096);
let used = drawn.length;

/**
 * 16 random bytes from the system's cryptographic generator, for salts and ids. It is asked for 4 KiB at a time: asked
 * for 16 bytes it takes longer than hashing the event they are for.
 */
export const random16Bytes = (): Buffer => {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += 16;
  return Buffer.from(drawn.subarray(used - 16, used));
};
