import type { Owner } from '../../domain/business/events.js';
import type { CommandContext } from '../command-context.js';
import { type ExecuteBusiness, executeOn } from './execute-business.js';

/** Adds an owner, identified by its `user`. */
export const addOwner = (execute: ExecuteBusiness) => (context: CommandContext, businessId: string, owner: Owner) =>
  executeOn(execute, context, businessId, { _tag: 'AddOwner', owner });
