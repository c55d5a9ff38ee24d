import { either as E } from 'fp-ts';
import { whyNotInTree } from '../../projections/engine/generation/decisions-in-tree.js';
import { ledgerOf } from '../entities/registry.js';
import { orThrow } from '../event-sourcing/attempt.js';
import type { EventStore } from '../event-sourcing/event-store.js';
import { repeat } from '../event-sourcing/clock.js';
import { reasonOf } from '../event-sourcing/reason-of.js';
import type { LedgerSeal } from '../infrastructure/postgres/read-models/open-read-models.js';
import { recordSealing } from '../sealing/sealing-switch.js';
import type { ServiceContext } from './service-context.js';

/** Between two looks, ms. */
const AGAIN_MS = 2_000;

/**
 * Records in the log that the signing of checkpoints is off, or on again, by the settings of the process that would sign: each
 * time that this one becomes it. Of a log of which nothing was ever signed, that is nobody's decision. It tries until that is
 * done, and says once why it is not.
 */
export const keepSealingRecorded = (
  {
    config,
    log,
    runtime,
    adapters,
    started,
    registry,
  }: Pick<ServiceContext, 'config' | 'log' | 'runtime' | 'adapters' | 'started' | 'registry'>,
  store: Pick<EventStore, 'readStream' | 'append'>,
  { storage, tree }: Pick<LedgerSeal, 'storage' | 'tree'>,
  isOn: boolean,
  /** Whether this process is the one that would sign. */
  isKeeper: () => boolean,
): void => {
  const ledger = ledgerOf(registry);
  const record = async (): Promise<void> => {
    const newest = await tree.newestCheckpoint();
    if (E.isLeft(newest)) throw new Error(reasonOf(newest.left.cause), { cause: newest.left.cause });
    if (newest.right === undefined) return;
    const why = await whyNotInTree(storage, ledger);
    if (why !== undefined) throw new Error(why);
    const keys = orThrow(await adapters.keys.eventKeys(runtime.random, config));
    const recorded = await recordSealing(runtime, store, isOn, keys);
    if (E.isLeft(recorded)) throw new Error(reasonOf(recorded.left), { cause: recorded.left });
    if (!recorded.right) return;
    if (isOn) log.info('checkpoints are signed again: recorded in the log');
    else log.warn('checkpoints are not signed any more: recorded in the log. What is appended can be removed unseen');
  };
  const stopping = new AbortController();
  let [said, isDone] = [false, false];
  const keeping = repeat(runtime.clock, AGAIN_MS, stopping.signal, async () => {
    isDone &&= isKeeper();
    if (isDone || !isKeeper()) return;
    try {
      await record();
      [said, isDone] = [false, true];
    } catch (cause) {
      if (!said) log.warn({ reason: reasonOf(cause) }, 'whether checkpoints are signed cannot be recorded yet');
      said = true;
    }
  });
  started.add(async () => {
    stopping.abort();
    await keeping;
  });
};
