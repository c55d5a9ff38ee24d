import type { BusinessChanges } from '../../domain/business/events.js';
import type { CommandContext } from '../command-context.js';
import { type ExecuteBusiness, executeOn } from './execute-business.js';

/** Merges `changes` into a business: absent keeps, null clears. */
export const updateBusiness =
  (execute: ExecuteBusiness) => (context: CommandContext, businessId: string, changes: BusinessChanges) =>
    executeOn(execute, context, businessId, { _tag: 'UpdateBusiness', businessId, changes });
