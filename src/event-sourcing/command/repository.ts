import { either as E, readonlyNonEmptyArray as RNEA } from 'fp-ts';
import type { BoundedCache } from '../bounded-cache.js';
import type { Decisions } from '../decisions.js';
import { newSalt, seal, type SealedEvent } from '../envelope.js';
import type { EventKey } from '../event-key.js';
import type { AppendRejected, StoreUnavailable } from '../event-store.js';
import { withReason } from '../reason.js';
import { nextRevision, type Revision, type StreamName } from '../recorded-event.js';
import type { DomainEvent } from '../serde.js';
import type { FindSkipped } from '../passed-over.js';
import type { LoadFailure } from '../for-each-event.js';
import type { CommandCall, Handled } from './command-call.js';
import { eventIdOf, isKeyed } from './command-id.js';
import { type Folded, unfolded } from './fold.js';
import { KeyedCommands } from './keyed-commands.js';
import { loadStream, type Streams } from './load-stream.js';
import { compareWithRow } from './compare-with-row.js';
import type { HistoryCut, ShownRows } from './shown-rows.js';
import type { FindSnapshot, Snapshot } from './snapshot.js';

/** The entities of one kind: their streams, and the last folds of them. */
export type Repository<State, Event extends DomainEvent> = Streams<State, Event> & {
  readonly findSnapshot: FindSnapshot<State>;
  readonly findSkipped: FindSkipped;
  readonly rows: ShownRows;
  readonly decisions: Decisions;
  /** What new events are sealed with; without it they have no `mac`. */
  readonly eventKey?: EventKey | undefined;
  readonly cache: BoundedCache<StreamName, Folded<State>>;
};

type Call = CommandCall<unknown>;

export type Loaded<State> = {
  readonly folded: Folded<State>;
  /** Where this command's own events are, when they were among those just read. */
  readonly own: Revision | undefined;
  /** A fold that was not just read may be behind: it may lead to an append, never to a rejection (docs/adr/0002). */
  readonly isJustRead: boolean;
  /** Until when the command may wait for the log, of `Clock.monotonic`. */
  readonly until: number;
};

/** Reads what the stream holds beyond `known`, and compares it with the row, unless that was done for this command. */
export const readOn = async <State, Event extends DomainEvent>(
  repository: Repository<State, Event>,
  { stream, envelope }: Call,
  known: Folded<State>,
  until: number,
  isCompared = false,
): Promise<E.Either<LoadFailure | HistoryCut, Loaded<State>>> => {
  const { cache } = repository;
  const [loaded, shown] = await Promise.all([
    loadStream(repository, stream, known, envelope.commandId, until),
    isCompared ? undefined : repository.rows.revisionOf(stream),
  ]);
  if (E.isLeft(loaded)) return loaded;
  const { folded, own, until: latest } = loaded.right;
  const compared = await compareWithRow(repository, stream, folded.revision, shown, latest);
  if (E.isLeft(compared)) {
    cache.delete(stream);
    return compared;
  }
  if (folded.revision !== 'no-stream') cache.set(stream, folded);
  return E.right({ folded, own, isJustRead: true, until: latest });
};

/** Reads the whole stream, whatever is cached of it. */
export const loadAnew = <State, Event extends DomainEvent>(
  repository: Repository<State, Event>,
  call: Call,
  until: number,
): Promise<E.Either<LoadFailure | HistoryCut, Loaded<State>>> =>
  readOn(repository, call, unfolded(repository.decider.initialState), until);

const foldOf = <State>({ hasKeyedCommands, ...snapshot }: Snapshot<State>): Folded<State> => ({
  ...snapshot,
  position: undefined,
  keyed: new KeyedCommands(!hasKeyedCommands),
});

const notRead = <State>(folded: Folded<State>, until: number): E.Either<never, Loaded<State>> =>
  E.right({ folded, own: undefined, isJustRead: false, until });

/**
 * The cached fold, else a snapshot, else the stream; always the stream where one of its events is skipped, because what was
 * folded before that was decided includes the event. A stream whose name was minted for this command is taken for empty;
 * a command with an `Idempotency-Key` needs all that came with one before it.
 */
export const load = async <State, Event extends DomainEvent>(
  repository: Repository<State, Event>,
  call: Call,
  until: number,
): Promise<E.Either<LoadFailure | HistoryCut, Loaded<State>>> => {
  const { cache, decider, findSnapshot, findSkipped } = repository;
  if (findSkipped().streams.has(call.stream)) return loadAnew(repository, call, until);
  const needsKeys = isKeyed(call.envelope.commandId);
  const cached = cache.get(call.stream);
  if (cached !== undefined)
    return needsKeys && !cached.keyed.isComplete ? loadAnew(repository, call, until) : notRead(cached, until);
  if (call.fresh) return needsKeys ? loadAnew(repository, call, until) : notRead(unfolded(decider.initialState), until);
  const snapshot = await findSnapshot(call.stream);
  if (snapshot === undefined || (needsKeys && snapshot.hasKeyedCommands)) return loadAnew(repository, call, until);
  return notRead(foldOf(snapshot), until);
};

/** The stream has other events than the fold. */
type Outdated = {
  readonly _tag: 'Outdated';
  /** Hash of the last event that was offered, where the store has events with its ids: these, or those of a request before. */
  readonly offered?: string;
};

/** Time never goes back within a stream. */
const timeOfNext = ({ lastAt }: Folded<unknown>, now: Date): string => {
  const at = now.toISOString();
  return at > lastAt ? at : lastAt;
};

const sealAll = <Event extends DomainEvent>(
  { serde, eventKey, runtime: { random } }: Pick<Repository<unknown, Event>, 'serde' | 'eventKey' | 'runtime'>,
  { stream, envelope }: Call,
  { revision, lastHash }: Folded<unknown>,
  at: string,
  events: RNEA.ReadonlyNonEmptyArray<Event>,
): RNEA.ReadonlyNonEmptyArray<SealedEvent> => {
  let previousHash = lastHash;
  return RNEA.mapWithIndex((index: number, { type, data }: Event) => {
    const fact = {
      id: eventIdOf(envelope.commandId, index),
      stream,
      revision: nextRevision(revision) + BigInt(index),
      type,
      data: withReason(data, envelope.reason),
      schemaVersion: serde.schemaVersionOf(type),
      at,
      actor: envelope.actor,
      correlationId: envelope.correlationId,
      causationId: envelope.commandId,
      traceparent: envelope.traceparent,
      request: envelope.request,
      previousHash,
    };
    const sealed = seal(fact, newSalt(random), eventKey);
    previousHash = sealed.hash;
    return sealed;
  })(events);
};

/** Appends `events` at the revision of the fold they were decided on, and caches the fold with them. */
export const append = async <State, Event extends DomainEvent>(
  repository: Repository<State, Event>,
  call: Call,
  { folded, until }: Pick<Loaded<State>, 'folded' | 'until'>,
  events: RNEA.ReadonlyNonEmptyArray<Event>,
): Promise<E.Either<AppendRejected | StoreUnavailable | Outdated, Handled<State, Event>>> => {
  const { store, decider, runtime, cache, decisions } = repository;
  const { commandId, actor } = call.envelope;
  const { keyed } = folded;
  const at = timeOfNext(folded, runtime.clock.date());
  const sealed = sealAll(repository, call, folded, at, events);
  const first = Number(nextRevision(folded.revision));
  const state = events.reduce(
    (before, event, index) => decider.evolve(before, event, { actor, at, revision: first + index }),
    folded.state,
  );
  const last = RNEA.last(sealed);
  const createdAt = folded.revision === 'no-stream' ? at : folded.createdAt;
  decisions.add(last, {
    metadata: last.metadata,
    state,
    creationPosition: folded.creationPosition,
    lastHash: last.hash,
    createdAt,
    lastAt: at,
    hasKeyedCommands: keyed.isAny || isKeyed(commandId),
  });
  const appended = await store.append(call.stream, folded.revision, sealed, until);
  if (E.isLeft(appended)) {
    cache.delete(call.stream);
    return E.left(appended.left._tag === 'RevisionConflict' ? { _tag: 'Outdated' } : appended.left);
  }
  const { revision, position, confirmedNew } = appended.right;
  // The store recognises a repeat by its ids alone; whether the request is the same, only the stored event says.
  if (isKeyed(commandId) && !confirmedNew) return E.left({ _tag: 'Outdated', offered: last.hash });

  if (isKeyed(commandId)) keyed.add(commandId, revision);
  const creationPosition = revision === 0n ? position : folded.creationPosition;
  const times = { createdAt, lastAt: at };
  cache.set(call.stream, { state, revision, position, creationPosition, lastHash: last.hash, ...times, keyed });
  return E.right({ before: folded.state, after: state, events, revision, position, ...times, replayed: false });
};
