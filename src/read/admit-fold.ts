import { StoreUnavailable } from '../event-sourcing/event-store.js';

/**
 * Asked before each page of a stream that is folded for a reader, which holds the page and the state that it makes. False
 * when too many folds have been under way for too long, or nobody waits for this one any more.
 */
export type AdmitFold = () => Promise<boolean>;

export const foldRefused = (): StoreUnavailable => new StoreUnavailable('too many streams are read at once');
