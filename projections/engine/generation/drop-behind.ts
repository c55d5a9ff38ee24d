import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import type { ReadModel } from '../../read-model.js';
import type { ReadModelStorage } from '../storage.js';
import { commitOf, type GenerationState } from './generation.js';

/**
 * Drops the rows of a read model that are not live, have not come to this position of the log, and are written by nobody. Gives
 * the names of those that have not come there, and are written.
 */
export const dropBehind = async (
  storage: Pick<ReadModelStorage, 'change'>,
  readModel: ReadModel,
  position: Position,
): Promise<ReadonlyArray<string>> => {
  let behind: ReadonlyArray<GenerationState> = [];
  await storage.change(readModel, (generations) => {
    behind = generations.filter(({ role, checkpoint }) => role !== 'live' && commitOf(checkpoint) < position);
    const drop = behind.filter(({ holder }) => holder === undefined).map(({ name }) => name);
    return drop.length === 0 ? undefined : { drop };
  });
  return behind.filter(({ holder }) => holder !== undefined).map(({ name }) => name);
};
