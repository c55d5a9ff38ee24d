import type { BusinessChanges } from '../../domain/business/events.js';
import type { Origin } from '../origin.js';
import { type ExecuteBusiness, executeOn } from './execute-business.js';

/** Merges `changes` into a business: absent keeps, null clears. */
export const updateBusiness =
  (execute: ExecuteBusiness) => (origin: Origin, businessId: string, changes: BusinessChanges) =>
    executeOn(execute, origin, businessId, { _tag: 'UpdateBusiness', businessId, changes });
