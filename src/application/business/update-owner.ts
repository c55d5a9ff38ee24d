import type { UpdateOwner } from '../../domain/business/commands.js';
import type { CommandContext } from '../command-context.js';
import { type ExecuteBusiness, executeOn } from './execute-business.js';

/** Merges `changes` into the owner `user`: absent keeps, null clears. */
export const updateOwner =
  (execute: ExecuteBusiness) =>
  (context: CommandContext, businessId: string, user: string, changes: UpdateOwner['changes']) =>
    executeOn(execute, context, businessId, { _tag: 'UpdateOwner', user, changes });
