import { StoreUnavailable } from '../event-sourcing/event-store.js';

/**
 * Asked before a stream is read for a reader, and again before each of its pages is folded or rendered. False when too
 * many streams have been read for too long, or nobody waits for this one any more.
 */
export type AdmitPage = () => Promise<boolean>;

/** A page of a stream was not admitted: nothing is wrong with the store. */
export class PageRefused extends StoreUnavailable {
  constructor() {
    super('too many streams are read at once');
    this.name = 'PageRefused';
  }
}
