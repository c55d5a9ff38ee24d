import { either as E, option as O } from 'fp-ts';
import { answerDeadline } from '../event-sourcing/answer-deadline.js';
import type { Clock } from '../event-sourcing/clock.js';
import type { CommandCall, PreconditionFailed } from '../event-sourcing/command/command-call.js';
import { decide } from '../event-sourcing/command/decide.js';
import type { Decider } from '../event-sourcing/decider.js';
import type { LoadFailure } from '../event-sourcing/for-each-event.js';
import { type ExpectedRevision, nextRevision, type Revision } from '../event-sourcing/recorded-event.js';
import type { CommandContext } from './command-context.js';

/** Called before each page of a stream is folded; false: it is not read. */
type AdmitPage = () => Promise<boolean>;

/** What a command would make of an entity, which is at `revision` now. */
export type Foreseen<State> = {
  readonly before: State;
  readonly after: State;
  readonly revision: ExpectedRevision;
};

/**
 * Says what a command on an entity would do if it was given now, and appends nothing. It refuses what the command would. `until`,
 * of `Clock.monotonic`: when the log must have begun to give the stream. Default: as of a request that begins now.
 */
export type Foresee<State, Command, Rejection> = (
  context: Pick<CommandContext, 'actor' | 'precondition'>,
  entityId: string,
  command: Command,
  admitPage: AdmitPage,
  until?: number,
) => Promise<E.Either<Rejection | PreconditionFailed | LoadFailure, Foreseen<State>>>;

type ForeseeDeps<State, Command, Event, Rejection> = {
  readonly clock: Clock;
  readonly decider: Decider<State, Command, Event, Rejection>;
  /** The state as the log has it now; none before the first event. */
  readonly stateNow: (
    entityId: string,
    admitPage: AdmitPage,
    until: number,
  ) => Promise<E.Either<LoadFailure, O.Option<{ readonly state: State; readonly revision: Revision }>>>;
};

export const makeForesee =
  <State, Command, Event, Rejection>({
    clock,
    decider,
    stateNow,
  }: ForeseeDeps<State, Command, Event, Rejection>): Foresee<State, Command, Rejection> =>
  async ({ actor, precondition }, entityId, command, admitPage, until = answerDeadline(clock)) => {
    const now = await stateNow(entityId, admitPage, until);
    if (E.isLeft(now)) return now;
    const { state: before, revision } = O.isSome(now.right)
      ? now.right.value
      : { state: decider.initialState, revision: 'no-stream' as const };
    const call: Pick<CommandCall<Command>, 'command' | 'precondition'> = { command, precondition };
    const decision = decide(decider, call, { state: before, revision });
    if (E.isLeft(decision)) return decision;
    const at = clock.date().toISOString();
    const first = Number(nextRevision(revision));
    const after = decision.right.reduce(
      (state, event, index) => decider.evolve(state, event, { actor, at, revision: first + index }),
      before,
    );
    return E.right({ before, after, revision });
  };
