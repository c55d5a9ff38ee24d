import { StoreUnavailable } from '../event-sourcing/event-store.js';

/**
 * Called before each page of a stream is folded or rendered, and once before a stream is read to be folded. `bytes` is what
 * the page counts for, where it is known. False: stop, because too many streams are read at once, or because the client
 * has gone.
 */
export type AdmitPage = (bytes?: number) => Promise<boolean>;

/** The same for a stream of which only a small first page may be read as it is. */
export type Admission = {
  /** Called before each page is rendered. */
  readonly page: AdmitPage;
  /** Called once, when there is more than that. */
  readonly more: () => Promise<boolean>;
};

/** A page of a stream was not admitted; nothing is wrong with the store. */
export class PageNotAdmitted extends StoreUnavailable {
  constructor() {
    super('too many streams are read at once');
    this.name = 'PageNotAdmitted';
  }
}
