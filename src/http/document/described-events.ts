import { DocumentEvent } from '../../domain/document/events.js';
import type { EntityEvents } from '../openapi/entity-events.js';
import { historyExample } from './examples.js';
import { documentMeanings, fileMeanings } from './meanings.js';

/** What the API description says of the events of a document. */
export const documentEvents: EntityEvents = {
  entityType: 'Document',
  codec: DocumentEvent,
  meanings: {
    ...documentMeanings,
    ...fileMeanings,
    file: 'The file that was uploaded or came back; null, or not there, without one.',
    to: 'The revision whose values came back.',
    events: 'What was erased: all events before this one; or ranges of their revisions, both ends inclusive.',
    basis: 'On what basis it was erased.',
    uploaded: 'Who uploaded the file that came back; null where there was none.',
    by: 'Who.',
    at: 'When, UTC.',
    changes: 'The fields that changed, with their new values; null where one was cleared.',
    attachedTo: 'What the document is attached to after the event, where that changed.',
    detachedFrom: 'What it was attached to before, where that changed.',
  },
  example: historyExample,
};
