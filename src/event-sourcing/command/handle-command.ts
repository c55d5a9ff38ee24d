import { either as E, readonlyNonEmptyArray as RNEA, readonlyArray as RA } from 'fp-ts';
import { type BoundedCache, makeBoundedCache } from '../bounded-cache.js';
import type { CommandCall, CommandFailure, HandleCommand, Handled } from './command-call.js';
import { eventIdOf, isKeyed } from './command-id.js';
import { makeCommandQueue } from './command-queue.js';
import type { Decider } from '../decider.js';
import { seal, type SealedEvent } from '../envelope.js';
import { type Appended, type AppendFailure, type EventStore, StoreUnavailable } from '../event-store.js';
import { type Folded, nextRevision, unfolded } from './fold.js';
import type { LoadFailure } from '../visit-stream.js';
import { pause } from '../pause.js';
import type { Revision, StreamName } from '../recorded-event.js';
import { roughSize } from '../rough-size.js';
import { loadStream } from './load-stream.js';
import { findCommand, replayCommand } from './replay-command.js';
import type { DomainEvent, Serde } from '../serde.js';

type CommandHandlerDeps<State, Command, Event extends DomainEvent, Rejection> = {
  readonly decider: Decider<State, Command, Event, Rejection>;
  readonly serde: Serde<Event>;
  readonly store: EventStore;
  readonly now: () => Date;
  readonly limits?: Partial<CommandLimits>;
};

export type CommandLimits = {
  /** Conflicts with other processes after which a command gives up. */
  readonly attempts: number;
  /** Longest pause between two attempts, ms; the pause grows from 1 ms, with full jitter. */
  readonly maxPause: number;
  /** Commands of one entity that may wait. */
  readonly queue: number;
  /** Repeats of keyed commands of one entity that may wait to be answered. */
  readonly replays: number;
  /** Folded streams kept, at most twice as many. */
  readonly cached: number;
};

const defaultLimits: CommandLimits = { attempts: 30, maxPause: 100, queue: 1000, replays: 100, cached: 2500 };

type Attempt<State, Event, Failure> =
  | { readonly _tag: 'Done'; readonly outcome: E.Either<Failure, Handled<State, Event>> }
  | { readonly _tag: 'Replay'; readonly revision: Revision; readonly isJustRead: boolean }
  | { readonly _tag: 'Again'; readonly known: Folded<State> };

/** Where a fold came from: a fold that was not just read may be behind, so it may only lead to an append. */
type Basis<State> = { readonly folded: Folded<State>; readonly own: Revision | undefined; readonly justRead: boolean };

const drawnPause = (attempt: number, longest: number): number => Math.random() * Math.min(longest, 2 ** attempt);

/**
 * The one command path: load (cached fold) → known command? its answer → decide → precondition → append at the
 * revision read → again on a conflict, within a bound. Refusals and no-ops never rest on a cached fold alone.
 */
export const makeHandleCommand = <State, Command, Event extends DomainEvent, Rejection>(
  deps: CommandHandlerDeps<State, Command, Event, Rejection>,
): HandleCommand<State, Command, Event, Rejection> => {
  type Failure = Rejection | CommandFailure;
  const { decider, serde, store } = deps;
  const limits = { ...defaultLimits, ...deps.limits };
  const cache: BoundedCache<StreamName, Folded<State>> = makeBoundedCache(limits.cached, ({ state }) =>
    roughSize(state),
  );
  const isShared = (failure: unknown): boolean => failure instanceof StoreUnavailable;
  const queue = makeCommandQueue(limits.queue, isShared);
  const replays = makeCommandQueue(limits.replays, isShared);

  const done = (outcome: E.Either<Failure, Handled<State, Event>>): Attempt<State, Event, Failure> => ({
    _tag: 'Done',
    outcome,
  });

  const occurredAt = (folded: Folded<State>): string => {
    const now = deps.now().toISOString();
    return now > folded.lastAt ? now : folded.lastAt;
  };

  const sealAll = (
    { stream, envelope }: CommandCall<Command>,
    folded: Folded<State>,
    at: string,
    events: RNEA.ReadonlyNonEmptyArray<Event>,
  ): RNEA.ReadonlyNonEmptyArray<SealedEvent> => {
    let previousHash = folded.lastHash;
    return RNEA.mapWithIndex((index: number, event: Event) => {
      const sealed = seal({
        id: eventIdOf(envelope.commandId, index),
        stream,
        revision: nextRevision(folded.revision) + BigInt(index),
        type: event.type,
        data: event.data,
        schemaVersion: serde.schemaVersionOf(event.type),
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

  const appended = (
    call: CommandCall<Command>,
    folded: Folded<State>,
    at: string,
    events: RNEA.ReadonlyNonEmptyArray<Event>,
    { revision, position, lastHash }: Appended & { readonly lastHash: string },
  ): Handled<State, Event> => {
    const { commandId, actor } = call.envelope;
    const after = events.reduce((state, event) => decider.evolve(state, event, { actor, at }), folded.state);
    const { keyed } = folded;
    if (isKeyed(commandId)) keyed.add(commandId, revision);
    cache.set(call.stream, { state: after, revision, position, lastHash, lastAt: at, keyed });
    return { before: folded.state, after, events, revision, position, replayed: false };
  };

  const afterFailedAppend = (
    call: CommandCall<Command>,
    folded: Folded<State>,
    failure: AppendFailure,
  ): Attempt<State, Event, Failure> => {
    cache.delete(call.stream);
    if (failure._tag !== 'RevisionConflict') return done(E.left(failure));
    // A stream shorter than our fold was restored from a backup: nothing we know of it counts.
    const isAhead = nextRevision(failure.actual) > nextRevision(folded.revision);
    return { _tag: 'Again', known: isAhead ? folded : unfolded(decider.initialState) };
  };

  const append = async (
    call: CommandCall<Command>,
    folded: Folded<State>,
    events: RNEA.ReadonlyNonEmptyArray<Event>,
  ): Promise<Attempt<State, Event, Failure>> => {
    const at = occurredAt(folded);
    const sealed = sealAll(call, folded, at, events);
    const outcome = await store.append(call.stream, folded.revision, sealed);
    if (E.isLeft(outcome)) return afterFailedAppend(call, folded, outcome.left);
    // The store knows a repeat by its ids alone; whether it also was the same request, only the stored event tells.
    if (isKeyed(call.envelope.commandId) && !outcome.right.confirmedNew) return { _tag: 'Again', known: folded };
    const { hash } = RNEA.last(sealed);
    return done(E.right(appended(call, folded, at, events, { ...outcome.right, lastHash: hash })));
  };

  const knownRevision = async (
    call: CommandCall<Command>,
    { folded, own }: Basis<State>,
  ): Promise<E.Either<LoadFailure, Revision | undefined>> => {
    const { commandId } = call.envelope;
    if (own !== undefined || !isKeyed(commandId)) return E.right(own);
    const known = folded.keyed.find(commandId);
    switch (known._tag) {
      case 'Known':
        return E.right(known.revision);
      case 'Unknown':
        return E.right(undefined);
      case 'PerhapsBefore':
        return findCommand(store, serde, call.stream, commandId, known.before);
    }
  };

  const attempt = async (call: CommandCall<Command>, basis: Basis<State>): Promise<Attempt<State, Event, Failure>> => {
    const { folded, justRead } = basis;
    const known = await knownRevision(call, basis);
    if (E.isLeft(known)) return done(known);
    if (known.right !== undefined) return { _tag: 'Replay', revision: known.right, isJustRead: justRead };

    const decision = decider.decide(call.command)(folded.state);
    const isMatch = call.precondition?.(folded.revision) ?? true;
    if (E.isRight(decision) && RA.isNonEmpty(decision.right) && isMatch) return append(call, folded, decision.right);

    if (!justRead) return { _tag: 'Again', known: folded };
    if (E.isLeft(decision) && decider.isAbsence(decision.left)) return done(decision);
    if (!isMatch) return done(E.left({ _tag: 'PreconditionFailed', current: folded.revision }));
    if (E.isLeft(decision)) return done(decision);
    const { state, revision, position } = folded;
    return done(E.right({ before: state, after: state, events: [], revision, position, replayed: false }));
  };

  const read = async (
    call: CommandCall<Command>,
    known: Folded<State>,
  ): Promise<E.Either<LoadFailure, Basis<State>>> => {
    const loaded = await loadStream({ store, serde, decider }, call.stream, known, call.envelope.commandId);
    if (E.isLeft(loaded)) return loaded;
    if (loaded.right.folded.revision !== 'no-stream') cache.set(call.stream, loaded.right.folded);
    return E.right({ ...loaded.right, justRead: true });
  };

  const first = async (call: CommandCall<Command>): Promise<E.Either<LoadFailure, Basis<State>>> => {
    const cached = cache.get(call.stream);
    if (cached !== undefined) return E.right({ folded: cached, own: undefined, justRead: false });
    const empty = unfolded(decider.initialState);
    return call.fresh && !isKeyed(call.envelope.commandId)
      ? E.right({ folded: empty, own: undefined, justRead: false })
      : read(call, empty);
  };

  type Settled = Exclude<Attempt<State, Event, Failure>, { readonly _tag: 'Again' }>;
  type Begin = () => Promise<E.Either<LoadFailure, Basis<State>>>;

  const run = (call: CommandCall<Command>, begin: Begin) => async (): Promise<E.Either<Failure, Settled>> => {
    let basis = await begin();
    for (let count = 1; ; count++) {
      if (E.isLeft(basis)) return basis;
      const result = await attempt(call, basis.right);
      if (result._tag === 'Replay') return E.right(result);
      if (result._tag === 'Done') return E.isLeft(result.outcome) ? result.outcome : E.right(result);
      if (count === limits.attempts) return E.left({ _tag: 'StreamContended', stream: call.stream });
      if (count > 2) await pause(drawnPause(count - 2, limits.maxPause));
      basis = await read(call, result.known);
    }
  };

  /** A replay folds the stream once more: it waits behind other replays, and no command of the entity behind it. */
  const handle = async (
    call: CommandCall<Command>,
    begin: Begin,
  ): Promise<E.Either<Failure, Handled<State, Event>>> => {
    const settled = await queue(call.stream, run(call, begin));
    if (E.isLeft(settled)) return settled;
    if (settled.right._tag === 'Done') return settled.right.outcome;
    const { revision, isJustRead } = settled.right;
    const replayed = await replays(call.stream, () => replayCommand(deps, call.stream, call.envelope, revision));
    if (isJustRead || E.isRight(replayed) || replayed.left._tag !== 'IdempotencyKeyReused') return replayed;
    // the log may have been restored from before the command that the cache remembers
    return handle(call, () => read(call, unfolded(decider.initialState)));
  };

  return (call) => handle(call, () => first(call));
};
