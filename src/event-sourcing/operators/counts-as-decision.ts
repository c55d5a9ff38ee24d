import { either as E } from 'fp-ts';
import type { EventKeys } from '../event-key.js';
import { macStatusOf } from '../event-mac.js';
import { extendChain, statedEnd } from '../hash-chain.js';
import type { StoredEvent } from '../recorded-event.js';
import type { Recorded } from '../serde.js';
import type { DecisionEvent } from './decision-events.js';
import { isSealedDecision } from './sealed-decision.js';
import { readDecision } from './unreadable-decision.js';

/**
 * Whether a decision is in the tree, says what was sealed, and has a `mac` of one of the keys: whoever can write into the
 * database can neither make one nor change it. Without keys, its `mac` is not checked, and need not be there.
 */
export const countsAsDecision = (event: StoredEvent, keys: EventKeys): boolean => {
  const status = macStatusOf(keys, event);
  const isOurs = status === 'Fits' || (keys.length === 0 && status !== 'DoesNotFit');
  // a mac is over the hash of the data alone
  return isOurs && isSealedDecision(event) && E.isRight(extendChain(statedEnd(event), event));
};

/** The decision that an event is; undefined where it does not count, and where it is none that this program could read. */
export const decisionIn = (event: StoredEvent, keys: EventKeys): Recorded<DecisionEvent> | undefined => {
  const decision = readDecision(event);
  return E.isRight(decision) && countsAsDecision(event, keys) ? decision.right : undefined;
};
