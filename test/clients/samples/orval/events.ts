export type { BusinessEvent, LedgerEvent } from './made/api.js';
