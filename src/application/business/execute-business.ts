import type { StreamName } from '../../event-sourcing/recorded-event.js';
import type { BusinessCommand } from '../../domain/business/commands.js';
import type { BusinessRejection } from '../../domain/business/rejections.js';
import type { BusinessState } from '../../domain/business/state.js';
import type { Execute } from '../execute.js';
import { commandIdsOf, envelopeOf, type CommandContext } from '../command-context.js';

export type ExecuteBusiness = Execute<BusinessState, BusinessCommand, BusinessRejection>;

export const businessStream = (businessId: string): StreamName => `business-${businessId}`;

/** Runs a command on a business that has to be there. Two requests with the same command are the same request. */
export const executeOn = (
  execute: ExecuteBusiness,
  context: CommandContext,
  businessId: string,
  command: BusinessCommand,
) =>
  execute({
    stream: businessStream(businessId),
    command,
    envelope: envelopeOf(context, commandIdsOf(context), command),
    precondition: context.precondition,
    fresh: false,
  });
