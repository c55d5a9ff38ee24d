import { either as E } from 'fp-ts';
import { saltedHash } from '../envelope.js';
import type { Revision, StreamName } from '../recorded-event.js';
import { type DomainEvent, occurrenceOf, type Recorded } from '../serde.js';
import { type LoadFailure, forEachEvent } from '../for-each-event.js';
import type { CommandCall, CommandEnvelope, Handled, IdempotencyKeyReused, ResultErased } from './command-call.js';
import { isKeyed } from './command-id.js';
import type { Loaded, Repository } from './repository.js';

/** A keyed command that the fold no longer remembers, looked for in the log from `since` downwards. */
const findInStream = async <State, Event extends DomainEvent>(
  { store, serde }: Repository<State, Event>,
  stream: StreamName,
  commandId: string,
  since: Revision,
  until: number,
): Promise<E.Either<LoadFailure, Revision | undefined>> => {
  let found: Revision | undefined;
  const range = { direction: 'backwards', from: since, until } as const;
  const outcome = await forEachEvent(store, serde, stream, range, ({ metadata, revision }) => {
    if (metadata.$causationId === commandId) found = revision;
    return found === undefined;
  });
  return E.isLeft(outcome) ? outcome : E.right(found);
};

/** Revision of the last event of this very command, if it was carried out before. */
export const findCommand = async <State, Event extends DomainEvent>(
  repository: Repository<State, Event>,
  { stream, envelope: { commandId } }: CommandCall<unknown>,
  { folded, own, until }: Loaded<State>,
): Promise<E.Either<LoadFailure, Revision | undefined>> => {
  if (own !== undefined || !isKeyed(commandId)) return E.right(own);
  const known = folded.keyed.find(commandId);
  switch (known._tag) {
    case 'Known':
      return E.right(known.revision);
    case 'Unknown':
      return E.right(undefined);
    case 'PerhapsBefore':
      return findInStream(repository, stream, commandId, known.before, until);
  }
};

const isSameRequest = (recorded: Recorded<unknown>, { request }: CommandEnvelope): boolean => {
  const { salt, fingerprint } = recorded.metadata;
  return salt !== undefined && saltedHash(salt, request) === fingerprint;
};

/**
 * The original result of a command that is already in the stream, its last event at `revision`: what the stream was
 * before and after it. Its last event has one of the hashes `offered` where this very request has written it: some stores
 * cannot tell a first append from a repeated one. `IdempotencyKeyReused` when the key came with another request then,
 * `ResultErased` when its last event is erased.
 */
export const replayCommand = async <State, Event extends DomainEvent>(
  { decider, serde, store }: Repository<State, Event>,
  { stream, envelope }: CommandCall<unknown>,
  revision: Revision,
  offered: ReadonlyArray<string>,
  until: number,
): Promise<E.Either<LoadFailure | IdempotencyKeyReused | ResultErased, Handled<State, Event>>> => {
  let before = decider.initialState;
  let after = decider.initialState;
  let createdAt = '';
  const own: Array<Recorded<Event>> = [];
  const range = { direction: 'forwards', limit: Number(revision) + 1, until } as const;
  const outcome = await forEachEvent(store, serde, stream, range, (recorded) => {
    const isOwn = recorded.metadata.$causationId === envelope.commandId;
    if (isOwn && own.length === 0) before = after;
    if (isOwn) own.push(recorded);
    if (recorded.revision === 0n) createdAt = recorded.metadata.at;
    after = decider.evolve(after, recorded.event, occurrenceOf(recorded));
    return true;
  });
  if (E.isLeft(outcome)) return outcome;
  const last = own.at(-1);
  // what is erased lost its salt with its data
  if (last !== undefined && last.metadata.salt === undefined) return E.left({ _tag: 'ResultErased' });
  if (last === undefined || !isSameRequest(last, envelope)) return E.left({ _tag: 'IdempotencyKeyReused' });
  const events = own.map(({ event }) => event);
  const { position, metadata } = last;
  const replayed = !offered.includes(metadata.hash);
  return E.right({ before, after, events, revision, position, createdAt, lastAt: metadata.at, replayed });
};
