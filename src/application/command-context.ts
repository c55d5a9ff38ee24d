import { v5 as uuidv5 } from 'uuid';
import { canonicalJson, type Json } from '../event-sourcing/canonical-json.js';
import type { CommandCall, CommandEnvelope } from '../event-sourcing/command/command-call.js';
import { eventIdOf } from '../event-sourcing/command/command-id.js';
import type { Random } from '../event-sourcing/random.js';

/** Where a command comes from: who asks, within which request, and on what conditions. */
export type CommandContext = {
  readonly actor: string;
  readonly correlationId: string;
  readonly traceparent?: string | undefined;
  /** Method and path, in one spelling; with the actor it is the scope of an `Idempotency-Key`. */
  readonly operation: string;
  readonly idempotencyKey?: string | undefined;
  /** Why it is asked, as its caller says. */
  readonly reason?: string | undefined;
  readonly precondition?: CommandCall<never>['precondition'];
};

/** The ids of a command. The same `Idempotency-Key` in the same scope always gives the same ids. */
export type CommandIds = { readonly commandId: string; readonly entityId: string };

// Never change it: under another namespace the retry of an old key would be a new command.
const KEY_NAMESPACE = '5c1cf9a6-6b0b-4b0e-9c39-0f5c3d2a7e11';

export const commandIdsOf = (random: Random, { actor, operation, idempotencyKey }: CommandContext): CommandIds => {
  if (idempotencyKey === undefined) return { commandId: eventIdOf(random.uuid(), 0), entityId: random.uuid() };
  const scoped = canonicalJson([actor, operation, idempotencyKey]);
  return {
    commandId: eventIdOf(uuidv5(`command ${scoped}`, KEY_NAMESPACE), 0),
    entityId: uuidv5(`entity ${scoped}`, KEY_NAMESPACE),
  };
};

/** A reason is a part of what was asked; without one, the text is what it was before there were reasons. */
const requestText = (request: Json, reason: string | undefined): string =>
  canonicalJson(reason === undefined ? request : [request, reason]);

export const envelopeOf = (context: CommandContext, { commandId }: CommandIds, request: Json): CommandEnvelope => ({
  commandId,
  actor: context.actor,
  correlationId: context.correlationId,
  traceparent: context.traceparent,
  request: requestText(request, context.reason),
  reason: context.reason,
});
