import type { ReadModel } from '../../read-model.js';
import { versionOf } from '../../version.js';
import { EngineError } from '../engine-failure.js';
import type { ReadModelStorage } from '../storage.js';
import { type Generation, liveOf } from './generation.js';

export const noLiveRows = (message: string): EngineError => new EngineError({ _tag: 'NoLiveRows', message });

/** The live generation. Throws `NoLiveRows` when there is none, or another version of the projection made it. */
export const readWritableLive = async (
  storage: Pick<ReadModelStorage, 'generations'>,
  projection: ReadModel,
): Promise<Generation> => {
  const { name } = projection;
  const generation = liveOf(await storage.generations(name));
  if (generation === undefined) throw noLiveRows(`the read model "${name}" has no rows yet`);
  const version = versionOf(projection);
  if (generation.version === version) return generation;
  throw noLiveRows(
    `the rows of "${name}" were made by version ${generation.version} of it, this program has version ${version}`,
  );
};
