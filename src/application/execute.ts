import { either as E } from 'fp-ts';
import { answerDeadline } from '../event-sourcing/answer-deadline.js';
import type { Json } from '../event-sourcing/canonical-json.js';
import type { Clock } from '../event-sourcing/clock.js';
import { isKeyed } from '../event-sourcing/command/command-id.js';
import type { CommandCall, CommandFailure, HandleCommand } from '../event-sourcing/command/command-call.js';
import { StoreUnavailable } from '../event-sourcing/event-store.js';
import type { OnLost } from '../event-sourcing/log-memory.js';
import type { Random } from '../event-sourcing/random.js';
import type { ExpectedRevision, StreamName } from '../event-sourcing/recorded-event.js';
import { type CommandContext, commandIdsOf, envelopeOf } from './command-context.js';
import type { ProjectionProgress } from './ports.js';

/** What a command did, as its response needs it. */
export type Outcome<State> = {
  readonly before: State;
  readonly after: State;
  readonly revision: ExpectedRevision;
  /** Times of the first event of the entity and of the one at `revision`; empty where there is none. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Whether every GET from now on shows it; else every GET by id. */
  readonly projected: boolean;
  /** Its `Idempotency-Key` had come before; this is what came of it then. */
  readonly replayed: boolean;
};

/** `until`: when its answer is due, of `Clock.monotonic`. Default: as of a request that begins now. */
export type Execute<State, Command, Rejection> = (
  call: CommandCall<Command>,
  until?: number,
) => Promise<E.Either<Rejection | CommandFailure, Outcome<State>>>;

/** Gives a command to an entity that is there; `request`: what a repeat with the same `Idempotency-Key` must ask for, too. */
export const changing =
  <State, Command, Rejection>(
    random: Random,
    execute: Execute<State, Command, Rejection>,
    streamOf: (entityId: string) => StreamName,
  ) =>
  (context: CommandContext, entityId: string, command: Command, request: Json, until?: number) =>
    execute(
      {
        stream: streamOf(entityId),
        command,
        envelope: envelopeOf(context, commandIdsOf(random, context), request),
        precondition: context.precondition,
        fresh: false,
      },
      until,
    );

/** The log took so long that its answer left no time for others to learn of the change. A repeat finds it. */
const tooLate = E.left(new StoreUnavailable('the change was stored too late to say that every GET shows it'));

/** The change may be among what was lost, and its position may be that of another one by now. A repeat finds out. */
const lostMeanwhile = E.left(
  new StoreUnavailable('the log has lost events since the change was stored, and maybe the change'),
);

/**
 * Runs a command, then waits, as long as `progress` and the time that is left allow, until the read model that serves
 * its GETs shows its result.
 */
export const makeExecute = <State, Command, Event, Rejection>(
  clock: Clock,
  handle: HandleCommand<State, Command, Event, Rejection>,
  progress: ProjectionProgress,
  onLost: OnLost = () => undefined,
): Execute<State, Command, Rejection> => {
  let losses = 0;
  onLost(() => void (losses += 1));
  return async (call, until = answerDeadline(clock)) => {
    const lossesBefore = losses;
    const handled = await handle(call, until);
    if (E.isLeft(handled)) return handled;
    const { before, after, revision, createdAt, lastAt: updatedAt, position } = handled.right;
    const appendedAt = clock.monotonic();
    const projected = position === undefined || (await progress.waitFor(position, until));
    if (losses !== lossesBefore) return lostMeanwhile;
    if (!projected && clock.monotonic() - appendedAt < progress.heldMs) return tooLate;
    const replayed = handled.right.replayed && isKeyed(call.envelope.commandId);
    return E.right({ before, after, revision, createdAt, updatedAt, projected, replayed });
  };
};
