import type { either as E } from 'fp-ts';
import type { StreamContended } from './command-queue.js';
import type { AppendRejected, StoreUnavailable } from '../event-store.js';
import type { ExpectedRevision, Position, StreamName } from '../recorded-event.js';
import type { UndecodableEvent } from '../serde.js';
import type { HistoryCut } from './shown-rows.js';

/** Who asks, under which command id, and the canonical text of what was asked. */
export type CommandEnvelope = {
  readonly commandId: string;
  readonly actor: string;
  readonly correlationId: string;
  readonly traceparent?: string | undefined;
  readonly request: string;
  /** Why it is asked, where that was said. */
  readonly reason?: string | undefined;
};

export type CommandCall<Command> = {
  readonly stream: StreamName;
  readonly command: Command;
  readonly envelope: CommandEnvelope;
  /** From `If-Match` and its kind: whether the command may run at this revision. */
  readonly precondition?: ((current: ExpectedRevision) => boolean) | undefined;
  /** The stream is named by an id that was minted for this command: try to append before reading. */
  readonly fresh: boolean;
};

/** The client's precondition does not hold at the stream's revision. */
export type PreconditionFailed = { readonly _tag: 'PreconditionFailed'; readonly current: ExpectedRevision };

/** The command id is known, but it came with another request. */
export type IdempotencyKeyReused = { readonly _tag: 'IdempotencyKeyReused' };

/** The command id is known, and what it did is erased: nobody can tell any more whether it came with this request. */
export type ResultErased = { readonly _tag: 'ResultErased' };

export type CommandFailure =
  | PreconditionFailed
  | IdempotencyKeyReused
  | ResultErased
  | StreamContended
  | HistoryCut
  | AppendRejected
  | StoreUnavailable
  | UndecodableEvent;

/** What a command did. Without events when it asked for what already is. */
export type Handled<State, Event> = {
  readonly before: State;
  readonly after: State;
  readonly events: ReadonlyArray<Event>;
  readonly revision: ExpectedRevision;
  /** Position of the last event that the answer rests on. */
  readonly position: Position | undefined;
  /** Times of the first event of the stream and of the one at `revision`; empty where there is none. */
  readonly createdAt: string;
  readonly lastAt: string;
  /** The command had been carried out before; this is its original result. */
  readonly replayed: boolean;
};

/** `until`, of `Clock.monotonic`: when its answer is due, and the log no longer waited for. Default: never. */
export type HandleCommand<State, Command, Event, Rejection> = (
  call: CommandCall<Command>,
  until?: number,
) => Promise<E.Either<Rejection | CommandFailure, Handled<State, Event>>>;
