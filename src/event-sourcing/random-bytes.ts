import { randomFillSync } from 'node:crypto';

const drawn = Buffer.allocUnsafeSlow(4096);
let used = drawn.length;

/**
 * 16 random bytes, fit for salts and ids. They are drawn 4 KiB at a time: for so few the system's generator costs more
 * than hashing the event they are for.
 */
export const random16Bytes = (): Buffer => {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += 16;
  return Buffer.from(drawn.subarray(used - 16, used));
};
