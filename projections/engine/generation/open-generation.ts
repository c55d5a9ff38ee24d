import { makeRetry } from '../../../src/event-sourcing/retry.js';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import type { ReadModel } from '../../read-model.js';
import { versionOf } from '../../version.js';
import { EngineError, failureIn, notAllowed } from '../engine-failure.js';
import type { Change, ReadModelStorage } from '../storage.js';
import { type Generation, type GenerationState, liveOf } from './generation.js';
import { type Lease, LEASE_MS, newHolder } from './lease.js';
import { otherLog } from './provenance.js';

const isUnfinished = ({ role, isRebuild }: GenerationState): boolean => role === 'building' && isRebuild;

/**
 * The generation that a service writes: that of this version of the projection. When there is none, it is created, as
 * the live one if the projection has no other. Throws `WrongLog` when the read models are of another log.
 */
export const openForService = async (
  storage: ReadModelStorage,
  projection: ReadModel,
  logIdentity: string,
): Promise<Generation> => {
  let found: Generation | undefined;
  const changed = await storage.change(projection, (generations) => {
    const live = liveOf(generations);
    const own = generations.filter((each) => !isUnfinished(each));
    found = own.find(({ version }) => version === versionOf(projection));
    const foreign = [found, live].find((each) => each !== undefined && each.logIdentity !== logIdentity);
    if (foreign !== undefined) throw new EngineError(otherLog(projection.name, foreign.logIdentity, logIdentity));
    if (found !== undefined) return undefined;
    return {
      create: { role: live === undefined ? 'live' : 'building', logIdentity, isRebuild: false, skips: 0 },
    };
  });
  const generation = found ?? changed?.created;
  if (generation === undefined) throw new Error('the new generation was not returned');
  return generation;
};

export type OpenedRebuild = { readonly generation: Generation; readonly lease: Lease };

type RebuildOptions = {
  readonly runtime: Runtime;
  /** Drops unfinished rebuilds instead of continuing the newest. */
  readonly isFromScratch: boolean;
  /** Begins a generation of its own, and leaves unfinished rebuilds as they are. */
  readonly isDryRun: boolean;
  /** Whether the rebuild is to replace live rows of another log. */
  readonly isReplacing: boolean;
};

const requireSameVersion = (generations: ReadonlyArray<Generation>, projection: ReadModel): void => {
  const live = liveOf(generations);
  if (live === undefined || live.version === versionOf(projection)) return;
  throw notAllowed(
    `the live rows of "${projection.name}" were made by another version of the program. ` +
      'Start the service of this version: it builds rows of its own beside them and switches by itself',
  );
};

/** What becomes of the generations, and which one of them the rebuild goes on with; undefined: with the one that is created. */
type Opening = { readonly goesOnWith: string | undefined; readonly change: Change };

const decideOpening = (
  generations: ReadonlyArray<GenerationState>,
  projection: ReadModel,
  logIdentity: string,
  holder: string,
  { isFromScratch, isDryRun, isReplacing }: RebuildOptions,
): Opening => {
  if (!isReplacing) requireSameVersion(generations, projection);
  // with another number of skipped events, its rows are not what a rebuild that is begun now would make
  const skips = projection.rowFor === 'entity' ? (projection.skipped?.ids.size ?? 0) : 0;
  const create = { role: 'building', logIdentity, isRebuild: true, skips, holder } as const;
  if (isDryRun) return { goesOnWith: undefined, change: { create } };
  const unfinished = generations.filter(isUnfinished);
  const [newest] = unfinished;
  const isResumable =
    newest?.version === versionOf(projection) && newest.logIdentity === logIdentity && newest.skips === skips;
  const goesOnWith = isResumable && !isFromScratch ? newest.name : undefined;
  // all of them, so that nobody writes what is dropped; a dry run that was killed may have left one beside another
  const names = unfinished.map(({ name }) => name);
  const change = { acquire: { holder, names }, drop: names.filter((name) => name !== goesOnWith) };
  return { goesOnWith, change: goesOnWith === undefined ? { ...change, create } : change };
};

const open = async (
  storage: ReadModelStorage,
  projection: ReadModel,
  logIdentity: string,
  options: RebuildOptions,
): Promise<OpenedRebuild> => {
  const holder = newHolder(options.runtime.random);
  let goesOnWith: string | undefined;
  const changed = await storage.change(projection, (generations) => {
    const opening = decideOpening(generations, projection, logIdentity, holder, options);
    ({ goesOnWith } = opening);
    return opening.change;
  });
  const name = goesOnWith ?? changed?.created?.name;
  const lease = changed?.leases.find((each) => each.name === name);
  // read only now that nobody else writes it, so that the checkpoint is current
  const generation = lease && (await storage.generations(projection.name)).find((each) => each.name === name);
  if (lease !== undefined && generation !== undefined) return { generation, lease };
  throw new EngineError({
    _tag: 'LeaseLost',
    message: `another command rebuilds "${projection.name}": wait for it`,
  });
};

/** How often the lease is tried: a command that was killed still holds it for up to `LEASE_MS`. */
const AGAIN_MS = 250;

/**
 * The generation that a rebuild writes, and its lease: the unfinished one of an earlier rebuild, or a new one; always a new one
 * where events were skipped since that began. Throws `LeaseLost` while another command rebuilds, `NotAllowed` when the live rows are of another version, and
 * the signal's reason when aborted.
 */
export const openForRebuild = async (
  storage: ReadModelStorage,
  projection: ReadModel,
  logIdentity: string,
  { signal, ...options }: RebuildOptions & { readonly signal: AbortSignal },
): Promise<OpenedRebuild> => {
  const { runtime } = options;
  const until = runtime.clock.monotonic() + LEASE_MS + AGAIN_MS;
  const retry = makeRetry({ runtime, first: AGAIN_MS, longest: AGAIN_MS, until, signal });
  for (;;)
    try {
      signal.throwIfAborted();
      return await open(storage, projection, logIdentity, options);
    } catch (error) {
      if (failureIn(error, 'LeaseLost') === undefined) throw error;
      if (await retry.again()) continue;
      signal.throwIfAborted();
      throw error;
    }
};
