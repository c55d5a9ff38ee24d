import type { Owner } from '../../domain/business/events.js';
import type { Origin } from '../origin.js';
import { type ExecuteBusiness, executeOn } from './execute-business.js';

/** Adds an owner, identified by its `user`. */
export const addOwner = (execute: ExecuteBusiness) => (origin: Origin, businessId: string, owner: Owner) =>
  executeOn(execute, origin, businessId, { _tag: 'AddOwner', owner });
