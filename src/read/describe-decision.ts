import { EntityKind } from '../domain/shared/entity-kind.js';
import type { DecisionEvent } from '../event-sourcing/operators/decision-events.js';
import { categoryOf, entityIdOf, type StreamName } from '../event-sourcing/recorded-event.js';
import type { Description, Ref } from './ref.js';

/** What the ledger calls the kind of the operators' decisions. */
export const DECISION = 'Decision';

const ENTITIES: Readonly<Record<string, EntityKind>> = { business: 'Business', document: 'Document' };

/** The record that a stream is of; none for a stream of another kind. */
const recordOf = (name: string): ReadonlyArray<Ref> => {
  const stream = name as StreamName; // reason: one without a dash has no category that is known
  const entityType = ENTITIES[categoryOf(stream)];
  return entityType === undefined ? [] : [{ entity: entityIdOf(stream), entityType }];
};

const messageOf = (event: DecisionEvent): string => {
  switch (event.type) {
    case 'ProjectionEventSkipped':
      return 'an event of a record is skipped: its rows are computed as if it changed nothing';
    case 'SealRestarted':
      return 'the seal was restarted: checkpoints have another origin from here on';
    case 'CheckpointKeyReplaced':
      return 'the key of the checkpoints was replaced: another one signs them from here on';
    case 'EventMacRequired':
      return 'events before an index may have no mac, and every event from there on must have one';
    case 'SealingSwitched':
      return event.data.isOn ? 'checkpoints are signed again' : 'checkpoints are not signed from here on';
    case 'EncryptionBegun':
      return 'the data of records is encrypted at rest from here on';
    case 'ErasureBegun':
      return `the data of events of ${event.data.records.length === 1 ? 'a record' : `${event.data.records.length} records`} is about to be destroyed`;
    case 'RecordHeld':
      return 'a record is held: it is not to be erased';
    case 'RecordReleased':
      return 'a record that was held is released: it may be erased again';
  }
};

const refsOf = (event: DecisionEvent): ReadonlyArray<Ref> => {
  if (event.type === 'ErasureBegun') return event.data.records.flatMap(({ stream }) => recordOf(stream));
  if (event.type === 'RecordHeld' || event.type === 'RecordReleased') {
    const { entity, entityType } = event.data;
    return EntityKind.is(entityType) ? [{ entity, entityType }] : [];
  }
  return event.type === 'ProjectionEventSkipped' ? recordOf(event.data.stream) : [];
};

/** What an auditor reads of a decision of operators: those that concern a record refer to it. */
export const describeDecision = (event: DecisionEvent): Description => {
  const isAgain = event.data.original !== undefined;
  return {
    type: 'decided',
    message: isAgain ? `recorded again, in the tree: ${messageOf(event)}` : messageOf(event),
    refs: refsOf(event),
    fields: [],
  };
};
