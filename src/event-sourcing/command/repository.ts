import { either as E, readonlyNonEmptyArray as RNEA } from 'fp-ts';
import type { BoundedCache } from '../bounded-cache.js';
import { seal, type SealedEvent } from '../envelope.js';
import type { AppendRejected, StoreUnavailable } from '../event-store.js';
import { nextRevision, type Revision, type StreamName } from '../recorded-event.js';
import type { DomainEvent, Serde } from '../serde.js';
import type { LoadFailure } from '../for-each-event.js';
import type { CommandCall, Handled } from './command-call.js';
import { eventIdOf, isKeyed } from './command-id.js';
import { type Folded, unfolded } from './fold.js';
import { loadStream, type Streams } from './load-stream.js';

/** The entities of one kind: their streams, and the last folds of them. */
export type Repository<State, Event extends DomainEvent> = Streams<State, Event> & {
  readonly now: () => Date;
  readonly cache: BoundedCache<StreamName, Folded<State>>;
};

type Call = CommandCall<unknown>;

export type Loaded<State> = {
  readonly folded: Folded<State>;
  /** Where this command's own events are, when they were among those just read. */
  readonly own: Revision | undefined;
  /** A fold that was not just read may be behind: it may lead to an append, never to a rejection (docs/adr/0002). */
  readonly isJustRead: boolean;
};

/** Reads what the stream holds beyond `known`. */
export const readOn = async <State, Event extends DomainEvent>(
  repository: Repository<State, Event>,
  { stream, envelope }: Call,
  known: Folded<State>,
): Promise<E.Either<LoadFailure, Loaded<State>>> => {
  const loaded = await loadStream(repository, stream, known, envelope.commandId);
  if (E.isLeft(loaded)) return loaded;
  const { folded, own } = loaded.right;
  if (folded.revision !== 'no-stream') repository.cache.set(stream, folded);
  return E.right({ folded, own, isJustRead: true });
};

/** Reads the whole stream, whatever is cached of it. */
export const loadAnew = <State, Event extends DomainEvent>(
  repository: Repository<State, Event>,
  call: Call,
): Promise<E.Either<LoadFailure, Loaded<State>>> => readOn(repository, call, unfolded(repository.decider.initialState));

/** The cached fold, else the stream; a stream whose name was minted for this command is taken for empty. */
export const load = async <State, Event extends DomainEvent>(
  repository: Repository<State, Event>,
  call: Call,
): Promise<E.Either<LoadFailure, Loaded<State>>> => {
  const cached = repository.cache.get(call.stream);
  if (cached !== undefined) return E.right({ folded: cached, own: undefined, isJustRead: false });
  return call.fresh && !isKeyed(call.envelope.commandId)
    ? E.right({ folded: unfolded(repository.decider.initialState), own: undefined, isJustRead: false })
    : loadAnew(repository, call);
};

/** The stream has other events than the fold: read on from `known`, the part of the fold that still holds. */
type Outdated<State> = { readonly _tag: 'Outdated'; readonly known: Folded<State> };

/** Time never goes back within a stream. */
const timeOfNext = ({ lastAt }: Folded<unknown>, now: Date): string => {
  const at = now.toISOString();
  return at > lastAt ? at : lastAt;
};

const sealAll = <Event extends DomainEvent>(
  serde: Serde<Event>,
  { stream, envelope }: Call,
  { revision, lastHash }: Folded<unknown>,
  at: string,
  events: RNEA.ReadonlyNonEmptyArray<Event>,
): RNEA.ReadonlyNonEmptyArray<SealedEvent> => {
  let previousHash = lastHash;
  return RNEA.mapWithIndex((index: number, { type, data }: Event) => {
    const sealed = seal({
      id: eventIdOf(envelope.commandId, index),
      stream,
      revision: nextRevision(revision) + BigInt(index),
      type,
      data,
      schemaVersion: serde.schemaVersionOf(type),
      at,
      actor: envelope.actor,
      correlationId: envelope.correlationId,
      causationId: envelope.commandId,
      traceparent: envelope.traceparent,
      request: envelope.request,
      previousHash,
    });
    previousHash = sealed.hash;
    return sealed;
  })(events);
};

/** Appends `events` at the revision of the fold they were decided on, and caches the fold with them. */
export const append = async <State, Event extends DomainEvent>(
  { store, serde, decider, now, cache }: Repository<State, Event>,
  call: Call,
  folded: Folded<State>,
  events: RNEA.ReadonlyNonEmptyArray<Event>,
): Promise<E.Either<AppendRejected | StoreUnavailable | Outdated<State>, Handled<State, Event>>> => {
  const { commandId, actor } = call.envelope;
  const at = timeOfNext(folded, now());
  const sealed = sealAll(serde, call, folded, at, events);
  const appended = await store.append(call.stream, folded.revision, sealed);
  if (E.isLeft(appended)) {
    cache.delete(call.stream);
    const failure = appended.left;
    if (failure._tag !== 'RevisionConflict') return E.left(failure);
    // The stream is shorter than the fold: it was restored from a backup, and the fold is void.
    const isAhead = nextRevision(failure.actual) > nextRevision(folded.revision);
    return E.left({ _tag: 'Outdated', known: isAhead ? folded : unfolded(decider.initialState) });
  }
  const { revision, position, confirmedNew } = appended.right;
  // The store recognises a repeat by its ids alone; whether the request is the same, only the stored event says.
  if (isKeyed(commandId) && !confirmedNew) return E.left({ _tag: 'Outdated', known: folded });

  const after = events.reduce((state, event) => decider.evolve(state, event, { actor, at }), folded.state);
  const { keyed } = folded;
  if (isKeyed(commandId)) keyed.add(commandId, revision);
  cache.set(call.stream, { state: after, revision, position, lastHash: RNEA.last(sealed).hash, lastAt: at, keyed });
  return E.right({ before: folded.state, after, events, revision, position, replayed: false });
};
