import type { components } from './made/api.js';

export type BusinessEvent = components['schemas']['BusinessEvent'];
export type LedgerEvent = components['schemas']['LedgerEvent'];
