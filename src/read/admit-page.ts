import { StoreUnavailable } from '../event-sourcing/event-store.js';

/**
 * Called before a stream is read, and again before each of its pages is folded or rendered. False: stop, because too many
 * streams are read at once, or because the client has gone.
 */
export type AdmitPage = () => Promise<boolean>;

/** A page of a stream was not admitted; nothing is wrong with the store. */
export class PageNotAdmitted extends StoreUnavailable {
  constructor() {
    super('too many streams are read at once');
    this.name = 'PageNotAdmitted';
  }
}
