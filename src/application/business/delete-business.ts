import type { CommandContext } from '../command-context.js';
import { type ExecuteBusiness, executeOn } from './execute-business.js';

/** Deletes a business; its history stays readable. */
export const deleteBusiness = (execute: ExecuteBusiness) => (context: CommandContext, businessId: string) =>
  executeOn(execute, context, businessId, { _tag: 'DeleteBusiness' });
