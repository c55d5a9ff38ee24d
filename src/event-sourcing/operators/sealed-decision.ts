import { objectIn } from '../canonical-json.js';
import type { StoredEvent } from '../recorded-event.js';
import { DECISION_VERSION } from './decision-events.js';

/** Whether a decision is in the tree. What the event says of its schema version tells, wherever it stands in a log. */
export const isSealedDecision = ({ metadata }: Pick<StoredEvent, 'metadata'>): boolean => {
  const schemaVersion = objectIn(metadata)?.['schemaVersion'];
  return Number.isSafeInteger(schemaVersion) && Number(schemaVersion) >= DECISION_VERSION;
};
