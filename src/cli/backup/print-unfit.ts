import type { UnfitObject } from '../../infrastructure/checkpoints/checkpoint-archive.js';
import { printNote } from '../output.js';

/** Names what is kept among checkpoints, and is none. */
export const printUnfit =
  (where: string) =>
  ({ key, reason }: UnfitObject): void =>
    printNote(`${key} in ${where} is not used: ${reason}`);
