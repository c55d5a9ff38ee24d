import { either as E } from 'fp-ts';
import { StoreUnavailable } from '../event-sourcing/event-store.js';

/**
 * Asks whether one more stream may be folded for a reader: a fold holds pages of events and the state they make. False
 * when too many are under way for too long.
 */
export type AdmitFold = () => Promise<boolean>;

export const foldRefused = E.left(new StoreUnavailable('too many streams are read at once'));
