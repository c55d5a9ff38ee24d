import type { UpdateOwner } from '../../domain/business/commands.js';
import type { Origin } from '../origin.js';
import { type ExecuteBusiness, executeOn } from './execute-business.js';

/** Merges `changes` into the owner `user`: absent keeps, null clears. */
export const updateOwner =
  (execute: ExecuteBusiness) => (origin: Origin, businessId: string, user: string, changes: UpdateOwner['changes']) =>
    executeOn(execute, origin, businessId, { _tag: 'UpdateOwner', user, changes });
