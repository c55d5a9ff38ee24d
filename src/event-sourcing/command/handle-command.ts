import { either as E, readonlyArray as RA } from 'fp-ts';
import { makeBoundedCache } from '../bounded-cache.js';
import type { Decider } from '../decider.js';
import { type Decisions, makeDecisions } from '../decisions.js';
import type { EventKey } from '../event-key.js';
import { type EventStore, StoreUnavailable } from '../event-store.js';
import type { Revision, StreamName } from '../recorded-event.js';
import type { OnLost } from '../log-memory.js';
import { makeRetry, type Retry } from '../retry.js';
import type { Runtime } from '../runtime.js';
import { estimateBytes } from '../estimate-bytes.js';
import type { DomainEvent, Serde } from '../serde.js';
import { type FindSkipped, noneSkipped } from '../passed-over.js';
import type { CommandCall, CommandFailure, HandleCommand, Handled } from './command-call.js';
import { type CommandQueue, makeCommandQueue } from './command-queue.js';
import { decide } from './decide.js';
import type { Folded } from './fold.js';
import { findCommand, replayCommand } from './replay-command.js';
import { append, load, loadAnew, readOn, type Repository } from './repository.js';
import type { ShownRows } from './shown-rows.js';
import type { FindSnapshot } from './snapshot.js';

type CommandHandlerDeps<State, Command, Event extends DomainEvent, Rejection> = {
  readonly decider: Decider<State, Command, Event, Rejection>;
  readonly serde: Serde<Event>;
  readonly store: EventStore;
  readonly runtime: Runtime;
  /** Default: there are none. */
  readonly findSnapshot?: FindSnapshot<State>;
  /** Default: there are none. */
  readonly findSkipped?: FindSkipped;
  /** Default: there are none. */
  readonly rows?: ShownRows;
  /** Where decisions are left for whoever meets their events in the log. */
  readonly decisions?: Decisions;
  /** What new events are sealed with. Default: nothing, and they have no `mac`. */
  readonly eventKey?: EventKey | undefined;
  /** Tells when the log has lost events. Default: it never does. */
  readonly onLost?: OnLost;
  readonly limits?: Partial<CommandLimits>;
};

export type CommandLimits = {
  /** Tries after which a command gives up, because other processes append to its stream again and again. */
  readonly attempts: number;
  /** Longest pause between two tries, ms; the pause grows from 2 ms, with full jitter. */
  readonly maxPause: number;
  /** Commands of one entity that may wait. */
  readonly queue: number;
  /** Repeats of keyed commands of one entity that may wait to be answered. */
  readonly replays: number;
  /** Folded streams kept, at most twice as many. */
  readonly cached: number;
};

const defaultLimits: CommandLimits = { attempts: 30, maxPause: 100, queue: 1000, replays: 100, cached: 2500 };

/** So many tries follow each other without a pause: the first conflict may only mean that the cached fold was behind. */
const AT_ONCE = 2;

type Handler<State, Command, Event extends DomainEvent, Rejection> = Repository<State, Event> & {
  readonly decider: Decider<State, Command, Event, Rejection>;
  readonly limits: CommandLimits;
  readonly queue: CommandQueue;
  readonly replays: CommandQueue;
};

/**
 * The command was carried out, perhaps before: its last event is at `revision`, by the log (`isJustRead`) or a cached fold,
 * and this request has written it if its hash is one of `offered`.
 */
type CarriedOut = {
  readonly _tag: 'CarriedOut';
  readonly revision: Revision;
  readonly isJustRead: boolean;
  readonly offered: ReadonlyArray<string>;
  /** Until when it may wait for the log. */
  readonly until: number;
};

const noRows: ShownRows = { revisionOf: () => Promise.resolve(undefined), onCut: () => undefined };

const withoutEvents = <State, Event>({
  state,
  revision,
  position,
  createdAt,
  lastAt,
}: Folded<State>): Handled<State, Event> => ({
  before: state,
  after: state,
  events: [],
  revision,
  position,
  createdAt,
  lastAt,
  replayed: false,
});

/** What came before it took all of its time: nothing was sent, and those behind it may have more of theirs. */
const tooLate = new StoreUnavailable('the log was not asked: the command has waited too long for those before it');

/** Loads, looks for an earlier run, decides, appends; when the fold was outdated, reads on and tries again. */
const carryOut = async <State, Command, Event extends DomainEvent, Rejection>(
  handler: Handler<State, Command, Event, Rejection>,
  call: CommandCall<Command>,
  begin: typeof load,
  due: number,
): Promise<E.Either<Rejection | CommandFailure, Handled<State, Event> | CarriedOut>> => {
  const { decider, limits, runtime } = handler;
  if (runtime.clock.monotonic() >= due) return E.left(tooLate);
  let retry: Retry | undefined;
  let loaded = await begin(handler, call, due);
  let isCompared = false;
  let offered: ReadonlyArray<string> = [];
  for (let tries = 1; ; tries += 1) {
    if (E.isLeft(loaded)) return loaded;
    const { folded, isJustRead, until } = loaded.right;
    isCompared ||= isJustRead;

    const earlier = await findCommand(handler, call, loaded.right);
    if (E.isLeft(earlier)) return earlier;
    if (earlier.right !== undefined)
      return E.right({ _tag: 'CarriedOut', revision: earlier.right, isJustRead, offered, until });

    const decision = decide(decider, call, folded);
    if (E.isRight(decision) && RA.isNonEmpty(decision.right)) {
      const appended = await append(handler, call, loaded.right, decision.right);
      if (E.isRight(appended)) return appended;
      if (appended.left._tag !== 'Outdated') return E.left(appended.left);
      if (appended.left.offered !== undefined) offered = [...offered, appended.left.offered];
    } else if (isJustRead) {
      return E.isLeft(decision) ? decision : E.right(withoutEvents(folded));
    }

    if (tries > AT_ONCE) {
      retry ??= makeRetry({ runtime, first: 2, longest: limits.maxPause, attempts: limits.attempts - AT_ONCE, until });
      if (!(await retry.again())) return E.left({ _tag: 'StreamContended', stream: call.stream });
    }
    loaded = await readOn(handler, call, folded, until, isCompared);
  }
};

/** A replay folds the stream once more, so it has a queue of its own and holds up no other command of the entity. */
const handle = async <State, Command, Event extends DomainEvent, Rejection>(
  handler: Handler<State, Command, Event, Rejection>,
  call: CommandCall<Command>,
  begin: typeof load,
  due: number,
): Promise<E.Either<Rejection | CommandFailure, Handled<State, Event>>> => {
  const outcome = await handler.queue(call.stream, () => carryOut(handler, call, begin, due));
  if (E.isLeft(outcome)) return outcome;
  if (!('_tag' in outcome.right)) return E.right(outcome.right);
  const { revision, isJustRead, offered, until } = outcome.right;
  const replayed = await handler.replays(call.stream, () => replayCommand(handler, call, revision, offered, until));
  if (isJustRead || E.isRight(replayed) || replayed.left._tag !== 'IdempotencyKeyReused') return replayed;
  // the cache remembers a command that is not in the log: the log may have been restored from an older backup
  return handle(handler, call, loadAnew, until);
};

/**
 * The one command path: load the cached fold, answer a known command, decide, check the precondition, append at the
 * revision read, try again on a conflict, within a bound. Rejections and no-ops never rest on a cached fold alone.
 */
export const makeHandleCommand = <State, Command, Event extends DomainEvent, Rejection>(
  deps: CommandHandlerDeps<State, Command, Event, Rejection>,
): HandleCommand<State, Command, Event, Rejection> => {
  const limits = { ...defaultLimits, ...deps.limits };
  const isShared = (failure: unknown): boolean => failure instanceof StoreUnavailable && failure !== tooLate;
  const newCache = () =>
    makeBoundedCache<StreamName, Folded<State>>(limits.cached, ({ state }) => estimateBytes(state));
  let cache = newCache();
  // one that a command holds takes what it has read before that, and nobody reads it
  deps.onLost?.(() => (cache = newCache()));
  const handler: Handler<State, Command, Event, Rejection> = {
    findSnapshot: () => Promise.resolve(undefined),
    findSkipped: () => noneSkipped,
    rows: noRows,
    decisions: makeDecisions(),
    ...deps,
    limits,
    get cache() {
      return cache;
    },
    queue: makeCommandQueue(limits.queue, isShared),
    replays: makeCommandQueue(limits.replays, isShared),
  };
  return (call, until = Infinity) => handle(handler, call, load, until);
};
