import { makeSerde } from '../../event-sourcing/serde.js';
import { BusinessEvent } from './events.js';
import { businessUpcasters } from './upcasters.js';

export const businessSerde = makeSerde(BusinessEvent, businessUpcasters);
