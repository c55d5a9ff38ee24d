import { either as E } from 'fp-ts';
import type { CreateBusiness } from '../../domain/business/commands.js';
import { commandIdsOf, envelopeOf, type CommandContext } from '../command-context.js';
import { businessStream, type ExecuteBusiness } from './execute-business.js';

/** Creates a business under a new id (the same one again for the same `Idempotency-Key`). */
export const createBusiness =
  (execute: ExecuteBusiness) => async (context: CommandContext, fields: CreateBusiness['fields']) => {
    const ids = commandIdsOf(context);
    const command: CreateBusiness = { _tag: 'CreateBusiness', businessId: ids.entityId, fields };
    const executed = await execute({
      stream: businessStream(ids.entityId),
      command,
      envelope: envelopeOf(context, ids, command),
      precondition: context.precondition,
      fresh: true,
    });
    return E.isLeft(executed) ? executed : E.right({ ...executed.right, businessId: ids.entityId });
  };
