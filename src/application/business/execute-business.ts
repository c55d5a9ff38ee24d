import type { StreamName } from '../../event-sourcing/recorded-event.js';
import type { BusinessCommand } from '../../domain/business/commands.js';
import type { BusinessRefusal } from '../../domain/business/refusals.js';
import type { BusinessState } from '../../domain/business/state.js';
import type { Execute } from '../execute.js';
import { commandIdsOf, envelopeOf, type Origin } from '../origin.js';

export type ExecuteBusiness = Execute<BusinessState, BusinessCommand, BusinessRefusal>;

export const businessStream = (businessId: string): StreamName => `business-${businessId}`;

/** Runs a command on a business that has to be there. The command itself is what tells one request from another. */
export const executeOn = (execute: ExecuteBusiness, origin: Origin, businessId: string, command: BusinessCommand) =>
  execute({
    stream: businessStream(businessId),
    command,
    envelope: envelopeOf(origin, commandIdsOf(origin), command),
    precondition: origin.precondition,
    fresh: false,
  });
