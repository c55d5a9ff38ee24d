import type { ReadModel } from '../../read-model.js';
import { versionOf } from '../../version.js';
import type { ReadModelStorage } from '../storage.js';
import { type GenerationState, liveOf } from './generation.js';

/** Previous generations that are not the newest of their version, or were replaced longer ago than `windowMs`. */
const outdatedOf = (
  generations: ReadonlyArray<GenerationState>,
  projection: ReadModel,
  windowMs: number | null,
): ReadonlyArray<GenerationState> => {
  const own = versionOf(projection);
  const isLiveOwn = liveOf(generations)?.version === own;
  const seen = new Set<string>();
  return generations.filter(({ role, version, msInRole, isEvidence, holder }) => {
    if (role !== 'previous') return false;
    const isNewest = !seen.has(version);
    seen.add(version);
    const isOutdated = !isNewest || (windowMs !== null && msInRole > windowMs);
    // rows are left to a service that writes them because the live rows are of another version than they are
    return isOutdated && !isEvidence && ((version === own && isLiveOwn) || holder === undefined);
  });
};

/**
 * Drops previous generations: all but the newest of each version, and that too when it was replaced more than
 * `windowMs` ago (null: it stays). Those of a ledger that have what the log has lost stay. Drops nothing while somebody reads
 * them: call it again later.
 */
export const dropOutdated = async (
  storage: ReadModelStorage,
  projection: ReadModel,
  windowMs: number | null,
): Promise<void> => {
  let outdated: ReadonlyArray<GenerationState> = [];
  let live: GenerationState | undefined;
  const look = (generations: ReadonlyArray<GenerationState>): undefined => {
    outdated = outdatedOf(generations, projection, windowMs);
    live = liveOf(generations);
  };
  // every service looks once a minute, and what waits here holds up all other changes of generations
  await storage.change(projection, look, { isBrief: true });
  if (outdated.length === 0) return;
  const markEvidence: Array<string> = [];
  if (projection.rowFor === 'event' && live !== undefined)
    for (const each of outdated) if (await storage.holdsMore(each, live)) markEvidence.push(each.name);
  const droppable = outdated.map(({ name }) => name).filter((name) => !markEvidence.includes(name));
  const decide = (generations: ReadonlyArray<GenerationState>) => {
    const still = outdatedOf(generations, projection, windowMs).map(({ name }) => name);
    return { markEvidence, drop: still.filter((name) => droppable.includes(name)) };
  };
  await storage.change(projection, decide, { isBrief: true });
};
