import { makeSerde, type Upcasters } from '../../event-sourcing/serde.js';
import { BusinessEvent } from './events.js';

/** Per event type, index 0 lifts schema version 1 to 2. A lifted version keeps its frozen fixture in the tests. */
const upcasters: Upcasters = {};

export const businessSerde = makeSerde(BusinessEvent, upcasters);
