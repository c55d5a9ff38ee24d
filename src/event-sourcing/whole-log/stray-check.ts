import { orThrow } from '../attempt.js';
import type { EventStore } from '../event-store.js';
import type { LogCheck } from './log-check.js';
import { type OnLogFault, strayFault } from './log-fault.js';

/** Names what somebody has put beside the log, where who reads single streams or counts on the table might take it for events. */
export const makeStrayCheck = ({ readStrays }: Pick<EventStore, 'readStrays'>, onFault: OnLogFault): LogCheck => ({
  take: () => Promise.resolve(),
  end: async () => {
    if (readStrays === undefined) return;
    for (const stray of orThrow(await readStrays())) onFault(strayFault(stray));
  },
});
