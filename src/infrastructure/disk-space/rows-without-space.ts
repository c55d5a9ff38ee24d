import type { Notice } from '../../../projections/engine/notice.js';
import { isOutOfSpace } from './disk-space.js';

/** Which read models stand still because a disk takes no more, as the engine tells it: once per change. */
export const makeRowsWithoutSpace = (): {
  readonly hear: (notice: Notice) => void;
  readonly any: () => boolean;
} => {
  const waiting = new Set<string>();
  return {
    hear: (notice) => {
      if (notice._tag === 'Interrupted' && isOutOfSpace(notice.cause)) waiting.add(notice.projection);
      else waiting.delete(notice.projection);
    },
    any: () => waiting.size > 0,
  };
};
