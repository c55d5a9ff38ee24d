import type { StoredEvent } from '../recorded-event.js';
import { DECISION_VERSION } from './decision-events.js';

/** Whether a decision is in the tree. What the event says of its schema version tells, wherever it stands in a log. */
export const isSealedDecision = ({ metadata }: Pick<StoredEvent, 'metadata'>): boolean => {
  try {
    const { schemaVersion } = JSON.parse(metadata) as { readonly schemaVersion?: unknown }; // reason: tested below
    return Number.isSafeInteger(schemaVersion) && Number(schemaVersion) >= DECISION_VERSION;
  } catch {
    return false;
  }
};
