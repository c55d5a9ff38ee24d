import type { LedgerKind } from '../../projections/ledger.js';
import { DecisionEvent, DECISIONS, decisionSerde } from '../event-sourcing/operators/decision-events.js';
import { isSealedDecision } from '../event-sourcing/operators/sealed-decision.js';
import { DECISION, describeDecision } from '../read/describe-decision.js';
import { makeRecords } from '../read/event-record.js';

/** How the ledger shows the operators' decisions, as far as they are in the tree. */
export const decisionKind: LedgerKind = {
  category: DECISIONS,
  entityType: DECISION,
  hasRow: isSealedDecision,
  ...makeRecords(
    decisionSerde,
    { entityType: DECISION, describe: describeDecision },
    DecisionEvent.types.map(({ props }) => props.type.value),
  ),
};
