import { either as E } from 'fp-ts';
import { sealedBy } from '../../../projections/ledger.js';
import type { Config } from '../../config.js';
import { ledgerOf, type Registry } from '../../entities/registry.js';
import { orThrow } from '../../event-sourcing/attempt.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { requireMac } from '../../event-sourcing/operators/require-mac.js';
import { surveyMacs } from '../../event-sourcing/operators/survey-macs.js';
import { sharedEventKeys } from '../../infrastructure/event-keys.js';
import { counted } from '../plural.js';
import { describeAppendFailure } from './describe-append-failure.js';
import { sealUnsealed } from './seal-decisions.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

/** What was said of the events without a `mac` that a command brought into a log. */
export type Vouched = {
  /** How many there are; undefined where no key is set, so that no event has to have one. */
  readonly withoutMac: number | undefined;
  /** Lines for a person: none where there is nothing to say. */
  readonly lines: ReadonlyArray<string>;
  /** False when it could not be recorded. */
  readonly isDone: boolean;
};

/**
 * Records which events without a `mac` a command has brought into a log whose service has a key: whoever gave the command
 * vouches for them, and everybody can read who that was. Throws `StoreUnavailable`.
 */
export const vouchForBrought = async (
  store: EventStore,
  registry: Registry,
  config: Config,
  actor: string,
): Promise<Vouched> => {
  const keys = orThrow(await sharedEventKeys(systemRuntime.random, config));
  const [newest] = keys;
  if (newest === undefined) return { withoutMac: undefined, lines: [], isDone: true };
  const macs = await surveyMacs(store, { isSealed: sealedBy(ledgerOf(registry)) });
  const { from = 0, behind = 0, indexOf = () => undefined } = macs ?? {};
  const withoutMac = (macs?.withoutMac ?? 0) + (macs?.decisionsWithoutMac ?? 0);
  const by = { actor, at: systemRuntime.clock.date() };
  const decisions = await sealUnsealed(store, { ...by, keys, withoutMac: true });
  const recorded =
    E.isLeft(decisions) || from === 0
      ? decisions
      : await requireMac(systemRuntime, store, { ...by, from, indexOf }, newest, keys);
  if (E.isLeft(recorded)) {
    const why = describeAppendFailure(recorded.left);
    const said = `${counted(withoutMac, 'event')} without a mac, which could not be recorded: ${why}. Give ops log require-mac`;
    return { withoutMac, lines: [said], isDone: false };
  }
  const isDone = E.isRight(decisions) && decisions.right.left === 0;
  if (withoutMac === 0) return { withoutMac, lines: [], isDone };
  const mixed = behind === 0 ? '' : `, ${behind} of them behind events that have one`;
  const line = `${counted(withoutMac, 'event')} without a mac${mixed}: nobody can tell who made them up. That they came with this command is recorded in the log; from index ${from} on every event must have a mac`;
  return { withoutMac, lines: [line], isDone };
};
