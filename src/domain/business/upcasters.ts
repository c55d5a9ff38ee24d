import type { Upcasters } from '../../event-sourcing/serde.js';

/** Per event type, index 0 lifts schema version 1 to 2. A lifted version keeps its frozen fixture in the tests. */
export const businessUpcasters: Upcasters = {};
