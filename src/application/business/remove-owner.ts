import type { CommandContext } from '../command-context.js';
import { type ExecuteBusiness, executeOn } from './execute-business.js';

/** Removes the owner `user`. */
export const removeOwner = (execute: ExecuteBusiness) => (context: CommandContext, businessId: string, user: string) =>
  executeOn(execute, context, businessId, { _tag: 'RemoveOwner', user });
