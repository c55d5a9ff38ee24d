import type { Origin } from '../origin.js';
import { type ExecuteBusiness, executeOn } from './execute-business.js';

/** Deletes a business; its history stays readable. */
export const deleteBusiness = (execute: ExecuteBusiness) => (origin: Origin, businessId: string) =>
  executeOn(execute, origin, businessId, { _tag: 'DeleteBusiness' });
