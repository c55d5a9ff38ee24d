import type { Origin } from '../origin.js';
import { type ExecuteBusiness, executeOn } from './execute-business.js';

/** Removes the owner `user`. */
export const removeOwner = (execute: ExecuteBusiness) => (origin: Origin, businessId: string, user: string) =>
  executeOn(execute, origin, businessId, { _tag: 'RemoveOwner', user });
