import { BusinessEvent } from '../../domain/business/events.js';
import type { EntityEvents } from '../openapi/entity-events.js';
import { historyExample } from './examples.js';
import { businessMeanings, ownerMeanings } from './meanings.js';

/** What the API description says of the events of a business. */
export const businessEvents: EntityEvents = {
  entityType: 'Business',
  codec: BusinessEvent,
  meanings: {
    ...businessMeanings,
    ...ownerMeanings,
    changes: 'The fields that changed, with their new values; null where one was cleared.',
    to: 'The revision whose values came back.',
    events: 'What was erased: all events before this one; or ranges of their revisions, both ends inclusive.',
    basis: 'On what basis it was erased.',
    previousParent: 'The parent before, where that changed.',
  },
  example: historyExample,
};
