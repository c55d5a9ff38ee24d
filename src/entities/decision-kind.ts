import type { LedgerKind } from '../../projections/ledger.js';
import { objectIn } from '../event-sourcing/canonical-json.js';
import { DecisionEvent, DECISIONS, decisionSerde } from '../event-sourcing/operators/decision-events.js';
import { isSealedDecision } from '../event-sourcing/operators/sealed-decision.js';
import { DECISION, describeDecision } from '../read/describe-decision.js';
import { makeRecords } from '../read/event-record.js';

const { recordOf, version } = makeRecords(
  decisionSerde,
  { entityType: DECISION, describe: describeDecision },
  DecisionEvent.types.map(({ props }) => props.type.value),
);

/** Why operators decided so: a member of what they decided, not beside it as the reason of a change. */
const reasonIn = (data: string): string | null => {
  const reason = objectIn(data)?.['reason'];
  return typeof reason === 'string' ? reason : null;
};

/** How the ledger shows the operators' decisions, as far as they are in the tree. */
export const decisionKind: LedgerKind = {
  category: DECISIONS,
  entityType: DECISION,
  version: `${version} found by their reasons`,
  hasRow: isSealedDecision,
  recordOf: (event) => ({ ...recordOf(event), reason: reasonIn(event.data) }),
};
