import { DecisionEvent } from '../../event-sourcing/operators/decision-events.js';
import { DECISION } from '../../read/describe-decision.js';
import type { EntityEvents } from './entity-events.js';

/** What the API description says of the decisions of operators. */
export const decisions: EntityEvents = {
  entityType: DECISION,
  codec: DecisionEvent,
  meanings: {
    projection: 'The read model that the decision is about.',
    stream: 'The stream of the event that is skipped, or of the record whose data is about to be destroyed.',
    revision: 'The place of that event in its stream.',
    eventId: 'The _id of that event.',
    reason: 'Why it was decided.',
    origin: 'The origin of checkpoints from here on.',
    replaced: 'The origin of checkpoints before.',
    note: 'The decision, signed by the key of the checkpoints.',
    keyId: 'The key that events are sealed with.',
    from: 'The index from which on every event must have a mac.',
    isOn: 'Whether checkpoints are signed from here on.',
    records: 'Whose data is about to be destroyed.',
    events: 'All events before this one; or ranges of their revisions, both ends inclusive.',
    basis: 'Why data is destroyed.',
    entityType: 'The kind of the record that is held or released.',
    entity: 'The _id of that record.',
    original: 'Of a decision that was recorded outside of the tree before: what that event said.',
    id: 'The _id of that event.',
    actor: 'Who decided.',
    at: 'When, UTC.',
    hash: 'The hash of that event.',
  },
};
