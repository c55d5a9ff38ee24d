import type { KeyState } from '../../../src/event-sourcing/encryption/key-state.js';
import type { ErasedRows } from '../../../src/infrastructure/postgres/erasure/erased-rows.js';
import type { Way } from '../way.js';
import { called, failed } from './called.js';

/** The members of the port, each a call. */
export const ERASED_ROWS = ['eraseLedger', 'findLeftInLedger', 'findLeftOfEntity', 'forget'] as const;

/** The rows of what is erased, as a process reaches them. */
export const erasedRowsBy = (way: Way, rows: ErasedRows): ErasedRows => called(way, rows, ERASED_ROWS);

/** The state of the keys, as a process reaches it, which has a connection of its own. */
export const keyStateBy = (way: Way, state: KeyState): KeyState => ({
  read: () => way.call('read keys', state.read, failed),
  readOther: (known) => way.call('other keys', () => state.readOther(known), failed),
  storeFirst: (first) => way.call('store keys', () => state.storeFirst(first), failed),
  replace: (change) => way.call('replace keys', () => state.replace(change), failed),
  close: state.close,
});
