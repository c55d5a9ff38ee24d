import type { ReadModelStorage } from '../../../projections/engine/storage.js';
import { storageBy } from '../ports/rows.js';
import { type Whole, wayOf } from './whole.js';

/**
 * A storage each call of which is whole. It loads nothing by key, and holds no connection for somebody who writes: that would
 * be a process's, which may be killed before it gives it back.
 */
export const wholeStorage = (whole: Whole, storage: ReadModelStorage): ReadModelStorage => {
  const called = storageBy(wayOf(whole), storage);
  return { ...called, whileWriting: (work) => work(called) };
};
