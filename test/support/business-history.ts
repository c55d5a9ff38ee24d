import { businessDecider } from '../../src/domain/business/decide.js';
import { businessSerde } from '../../src/domain/business/serde.js';
import type { BusinessState } from '../../src/domain/business/state.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { businessComparison } from '../../src/read/business-view.js';
import { describeBusinessEvent } from '../../src/read/describe-business-event.js';
import { type History, makeHistory } from '../../src/read/history.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

/** The history of businesses over a store. */
export const businessHistory = (store: EventStore): History<BusinessState> =>
  makeHistory({
    clock: systemRuntime.clock,
    store,
    serde: businessSerde,
    folding: { serde: businessSerde, fold: businessDecider },
    description: { entityType: 'Business', describe: describeBusinessEvent },
    comparison: businessComparison,
    category: 'business',
  });
