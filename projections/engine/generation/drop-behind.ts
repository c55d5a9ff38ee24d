import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import type { ReadModel } from '../../read-model.js';
import type { ReadModelStorage } from '../storage.js';
import { commitOf, type GenerationState } from './generation.js';

type Storage = Pick<ReadModelStorage, 'change'>;

const isBehind =
  (position: Position) =>
  ({ role, checkpoint }: GenerationState): boolean =>
    role !== 'live' && commitOf(checkpoint) < position;

const namesOfWritten = (generations: ReadonlyArray<GenerationState>): ReadonlyArray<string> =>
  generations.filter(({ holder }) => holder !== undefined).map(({ name }) => name);

/** The names of the rows of a read model that are not live, have not come to this position of the log, and are being written. */
export const findBehind = async (
  storage: Storage,
  readModel: ReadModel,
  position: Position,
): Promise<ReadonlyArray<string>> => {
  let behind: ReadonlyArray<GenerationState> = [];
  await storage.change(readModel, (generations) => {
    behind = generations.filter(isBehind(position));
    return undefined;
  });
  return namesOfWritten(behind);
};

/** As `findBehind`, and drops those that are as far behind and written by nobody. */
export const dropBehind = async (
  storage: Storage,
  readModel: ReadModel,
  position: Position,
): Promise<ReadonlyArray<string>> => {
  let behind: ReadonlyArray<GenerationState> = [];
  await storage.change(readModel, (generations) => {
    behind = generations.filter(isBehind(position));
    const drop = behind.filter(({ holder }) => holder === undefined).map(({ name }) => name);
    return drop.length === 0 ? undefined : { drop };
  });
  return namesOfWritten(behind);
};
