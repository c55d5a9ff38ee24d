import { either as E } from 'fp-ts';
import type { CommandEnvelope, Handled, IdempotencyKeyReused } from './command-call.js';
import type { Decider } from '../decider.js';
import { saltedHash } from '../envelope.js';
import type { EventStore } from '../event-store.js';
import { type LoadFailure, visitStream } from '../visit-stream.js';
import type { Revision, StreamName } from '../recorded-event.js';
import type { DomainEvent, Recorded, Serde } from '../serde.js';

type ReplayDeps<State, Command, Event extends DomainEvent, Rejection> = {
  readonly decider: Decider<State, Command, Event, Rejection>;
  readonly serde: Serde<Event>;
  readonly store: EventStore;
};

const isSameRequest = (recorded: Recorded<unknown>, { request }: CommandEnvelope): boolean => {
  const { salt, fingerprint } = recorded.metadata;
  return salt !== undefined && saltedHash(salt, request) === fingerprint;
};

/**
 * The original result of a command that is already in the stream, its last event at `revision`: what the stream was
 * before and after it. `IdempotencyKeyReused` when the key came with another request then.
 */
export const replayCommand = async <State, Command, Event extends DomainEvent, Rejection>(
  { decider, serde, store }: ReplayDeps<State, Command, Event, Rejection>,
  stream: StreamName,
  envelope: CommandEnvelope,
  revision: Revision,
): Promise<E.Either<LoadFailure | IdempotencyKeyReused, Handled<State, Event>>> => {
  let before = decider.initialState;
  let after = decider.initialState;
  const own: Array<Recorded<Event>> = [];
  const range = { direction: 'forwards', limit: Number(revision) + 1 } as const;
  const outcome = await visitStream(store, serde, stream, range, (recorded) => {
    const isOwn = recorded.metadata.$causationId === envelope.commandId;
    if (isOwn && own.length === 0) before = after;
    if (isOwn) own.push(recorded);
    after = decider.evolve(after, recorded.event, recorded.metadata);
    return recorded.revision < revision;
  });
  if (E.isLeft(outcome)) return outcome;
  const last = own.at(-1);
  if (last === undefined || !isSameRequest(last, envelope)) return E.left({ _tag: 'IdempotencyKeyReused' });
  const events = own.map(({ event }) => event);
  return E.right({ before, after, events, revision, position: last.position, replayed: true });
};

/** A keyed command that the fold no longer remembers, looked for in the log from `since` downwards. */
export const findCommand = async <Event extends DomainEvent>(
  store: EventStore,
  serde: Serde<Event>,
  stream: StreamName,
  commandId: string,
  since: Revision,
): Promise<E.Either<LoadFailure, Revision | undefined>> => {
  let found: Revision | undefined;
  const range = { direction: 'backwards', from: since } as const;
  const outcome = await visitStream(store, serde, stream, range, ({ metadata, revision }) => {
    if (metadata.$causationId === commandId) found = revision;
    return found === undefined;
  });
  return E.isLeft(outcome) ? outcome : E.right(found);
};
