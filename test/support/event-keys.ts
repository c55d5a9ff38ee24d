import { makeEventKey } from '../../src/event-sourcing/event-key.js';

/** Under which `test/fixtures/chains/business-with-macs.json` was sealed. */
export const frozenKey = makeEventKey('Łódź, 32 bytes or more: 0123456789');

export const oneKey = makeEventKey('one event key of at least 32 bytes');
export const otherKey = makeEventKey('another event key of at least 32 bytes');
