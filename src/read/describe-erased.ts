import { countOf, type Erased } from '../event-sourcing/erasure/erased-events.js';
import type { Description } from './ref.js';

/** How an event is described whose data was erased, whatever it was. */
export const describeDestroyed: Description = { type: 'erased', message: 'its data was erased', refs: [], fields: [] };

/** What an auditor reads of the event that says so; `kind`: what was erased as a whole. */
export const describeErased = ({ events }: Erased, kind: string): Description =>
  events === 'all'
    ? { type: 'deleted', message: `${kind} erased`, refs: [], fields: [] }
    : {
        type: 'updated',
        message: countOf(events) === 1 ? '1 event erased' : `${countOf(events)} events erased`,
        refs: [],
        fields: [],
      };
