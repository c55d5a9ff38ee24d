export type { BusinessEvent, LedgerEvent } from './made/api/index.ts';
