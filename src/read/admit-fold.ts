import { StoreUnavailable } from '../event-sourcing/event-store.js';

/**
 * Asked before a stream is read for a fold, and again before each of its pages is folded: a fold holds one page and the
 * state so far. False when too many have been under way for too long, or nobody waits for this one any more.
 */
export type AdmitFold = () => Promise<boolean>;

export class FoldRefused extends StoreUnavailable {
  constructor() {
    super('too many streams are read at once');
    this.name = 'FoldRefused';
  }
}
