import { either as E } from 'fp-ts';
import type { Decider } from '../decider.js';
import type { ExpectedRevision } from '../recorded-event.js';
import type { CommandCall, PreconditionFailed } from './command-call.js';

/** What the decider says, unless the precondition fails. An absent entity is reported before a failed precondition. */
export const decide = <State, Command, Event, Rejection>(
  decider: Decider<State, Command, Event, Rejection>,
  { command, precondition }: Pick<CommandCall<Command>, 'command' | 'precondition'>,
  { state, revision }: { readonly state: State; readonly revision: ExpectedRevision },
): E.Either<Rejection | PreconditionFailed, ReadonlyArray<Event>> => {
  const decision = decider.decide(command)(state);
  const isMatch = precondition?.(revision) ?? true;
  if (isMatch || (E.isLeft(decision) && decider.isAbsence(decision.left))) return decision;
  return E.left({ _tag: 'PreconditionFailed', current: revision });
};
