import { either as E } from 'fp-ts';
import type { BusinessCommand, CreateBusiness, UpdateOwner } from '../../domain/business/commands.js';
import type { BusinessChanges, Owner } from '../../domain/business/events.js';
import type { BusinessRejection } from '../../domain/business/rejections.js';
import type { BusinessState } from '../../domain/business/state.js';
import type { Random } from '../../event-sourcing/random.js';
import type { StreamName } from '../../event-sourcing/recorded-event.js';
import { commandIdsOf, envelopeOf, type CommandContext } from '../command-context.js';
import { changing, type Execute } from '../execute.js';
import type { Undo } from '../undo.js';

type ExecuteBusiness = Execute<BusinessState, BusinessCommand, BusinessRejection>;

const businessStream = (businessId: string): StreamName => `business-${businessId}`;

/** What can be asked of businesses. Changes merge: an absent field stays, null clears it. */
export const businessUseCases = (random: Random, execute: ExecuteBusiness) => {
  /** Creates it under a new id; a repeat with the same `Idempotency-Key` gets the same id. */
  const create = async (context: CommandContext, fields: CreateBusiness['fields']) => {
    const ids = commandIdsOf(random, context);
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

  const changeAs = changing(random, execute, businessStream);
  const change = (context: CommandContext, businessId: string, command: BusinessCommand) =>
    changeAs(context, businessId, command, command);

  return {
    create,
    update: (context: CommandContext, businessId: string, changes: BusinessChanges) =>
      change(context, businessId, { _tag: 'UpdateBusiness', businessId, changes }),
    /** The history stays readable. */
    delete: (context: CommandContext, businessId: string) => change(context, businessId, { _tag: 'DeleteBusiness' }),
    undo: (context: CommandContext, businessId: string, { command, request }: Undo<BusinessCommand>, until?: number) =>
      changeAs(context, businessId, command, request, until),
    /** An owner is identified by its `user`. */
    addOwner: (context: CommandContext, businessId: string, owner: Owner) =>
      change(context, businessId, { _tag: 'AddOwner', owner }),
    updateOwner: (context: CommandContext, businessId: string, user: string, changes: UpdateOwner['changes']) =>
      change(context, businessId, { _tag: 'UpdateOwner', user, changes }),
    removeOwner: (context: CommandContext, businessId: string, user: string) =>
      change(context, businessId, { _tag: 'RemoveOwner', user }),
  };
};

export type BusinessUseCases = ReturnType<typeof businessUseCases>;
