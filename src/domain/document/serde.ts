import { makeSerde } from '../../event-sourcing/serde.js';
import { DocumentEvent } from './events.js';
import { documentUpcasters } from './upcasters.js';

export const documentSerde = makeSerde(DocumentEvent, documentUpcasters);
