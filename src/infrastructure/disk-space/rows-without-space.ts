import type { OnEngineEvent } from '../../../projections/engine/engine-event.js';
import { isOutOfSpace } from './disk-space.js';

/** Which read models are interrupted because a disk is full, as the engine's events say. */
export const makeRowsWithoutSpace = (): {
  readonly onEngineEvent: OnEngineEvent;
  readonly any: () => boolean;
} => {
  const waiting = new Set<string>();
  return {
    onEngineEvent: (event) => {
      if (event._tag === 'Interrupted' && isOutOfSpace(event.cause)) waiting.add(event.projection);
      else waiting.delete(event.projection);
    },
    any: () => waiting.size > 0,
  };
};
