import { either as E } from 'fp-ts';
import type { LedgerSource } from '../../../projections/engine/verify/ledger/ledger-source.js';
import { type Ledger, sealedBy } from '../../../projections/ledger.js';
import type { EventKeys } from '../../event-sourcing/event-key.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import type { ExpectedRevision, StoredEvent, StreamName } from '../../event-sourcing/recorded-event.js';
import { lookUpChainEnds } from '../../event-sourcing/whole-log/chain-ends.js';
import type { LogFault, OnLogFault } from '../../event-sourcing/whole-log/log-fault.js';
import { verifyPages } from '../../event-sourcing/whole-log/verify-log.js';
import type { SealedTree } from '../../read/sealed-tree.js';
import { type LogWitnesses, makeLogChecks } from './log-checks.js';
import {
  endableArchive,
  makeMayGoOn,
  makePersist,
  type MayGoOn,
  PassOver,
  patientSource,
  patientStore,
  patientTree,
  type Persist,
} from './patient-ports.js';
import type { Clock } from '../../event-sourcing/clock.js';
import type { Runtime } from '../../event-sourcing/runtime.js';

/** What is verified in one go, a few milliseconds, until requests have their turn: events, and characters of them. */
const AT_ONCE = { events: 32, characters: 64 * 1024 };
/** It rests so many times as long as a part took: that much of the process is left to requests at least. */
const REST = 3;
/** At least so many are verified in a second, while it works. */
const LEAST_A_SECOND = 1_000;
/** For so long an erasure may be at work before it counts as one that was cut off, ms. */
const ERASURE_MS = 3_600_000;
/** How often it looks whether the period is over, or operators have decided something, ms. */
const LOOK_MS = 1_000;

export type Pass = {
  readonly events: number;
  readonly faults: number;
  /** False where something could not be read, and so was not compared. */
  readonly isWhole: boolean;
};

type WatchLogOptions = {
  readonly runtime: Runtime;
  readonly store: Pick<EventStore, 'readAll' | 'readStream' | 'readTruncations' | 'readStrays' | 'newestRevision'>;
  /** Where operators' decisions are recorded. */
  readonly decisionStreams: ReadonlyArray<StreamName>;
  readonly ledger: Ledger;
  readonly source: LedgerSource;
  readonly tree: Pick<SealedTree, 'checkpoints' | 'cosigned' | 'newestOf' | 'cosignedOf'>;
  /** Opened in each pass; it reports what is no checkpoint. */
  readonly archive: (onFault: OnLogFault, signal: AbortSignal) => LogWitnesses['archive'];
  readonly findNoted?: NonNullable<LogWitnesses['findNoted']>;
  /** Asked at the beginning of each pass. */
  readonly findSeal: () => Promise<LogWitnesses['seal']>;
  readonly keys: EventKeys;
  /** Whether this process is the one that verifies. */
  readonly isVerifier: () => boolean;
  readonly periodMs: number;
  readonly onFault: OnLogFault;
  /** How many events of the running pass are verified, and the index in the ledger that it has come to. */
  readonly onProgress: (events: number, index: number) => void;
  readonly onPassEnded: (pass: Pass) => void;
  /** What a pass could not compare, and why. */
  readonly onUnchecked: (what: string) => void;
  /** A fault of the program ended a pass; the next one begins after the period. */
  readonly onFailed: (cause: unknown) => void;
};

type LogWatch = {
  /** Whether the last whole pass, one since then that could not read everything, or the running one has found a fault. */
  readonly hasFaults: () => boolean;
  readonly stop: () => Promise<void>;
};

/** The events in parts of at most `AT_ONCE`, but of one event at least. */
function* inParts(events: ReadonlyArray<StoredEvent>): Generator<ReadonlyArray<StoredEvent>> {
  let part: Array<StoredEvent> = [];
  let characters = 0;
  for (const event of events) {
    const size = event.data.length + event.metadata.length;
    if (part.length === AT_ONCE.events || (part.length > 0 && characters + size > AT_ONCE.characters)) {
      yield part;
      [part, characters] = [[], 0];
    }
    part.push(event);
    characters += size;
  }
  if (part.length > 0) yield part;
}

/**
 * Pages of the log in small parts, no faster than so many events a second. Where they take longer than that, it rests after
 * each part, in proportion to what the part took.
 */
async function* paced(
  clock: Clock,
  store: Pick<EventStore, 'readAll'>,
  aSecond: number,
  persist: Persist,
  signal: AbortSignal,
): AsyncGenerator<ReadonlyArray<StoredEvent>> {
  const began = clock.monotonic();
  let done = 0;
  for await (const { events } of store.readAll({ after: 'start' }))
    for (const part of inParts(events)) {
      const partBegan = clock.monotonic();
      yield part;
      done += part.length;
      const now = clock.monotonic();
      await clock.sleep(Math.max((done / aSecond) * 1_000 - (now - began), REST * (now - partBegan)), signal);
      await persist(() => Promise.resolve());
    }
}

const verifyOnce = async (
  {
    runtime,
    store,
    ledger,
    source,
    tree,
    archive,
    findNoted,
    findSeal,
    keys,
    periodMs,
    onProgress,
    onUnchecked,
  }: WatchLogOptions,
  onFault: OnLogFault,
  mayGoOn: MayGoOn,
  signal: AbortSignal,
): Promise<Omit<Pass, 'faults'>> => {
  const persist = makePersist(runtime, mayGoOn, signal);
  const log = patientStore(store, persist);
  const rows = patientSource(source, persist);
  const { size } = await rows.extent();
  const aSecond = Math.max(LEAST_A_SECOND, (Number(size) / periodMs) * 1_000);
  const archived = archive(onFault, signal);
  const witnesses = {
    source: rows,
    tree: patientTree(tree, persist),
    archive: typeof archived === 'string' ? archived : endableArchive(archived, mayGoOn, signal),
    ...(findNoted === undefined ? {} : { findNoted: (origin: string) => persist(() => findNoted(origin)) }),
    seal: await persist(findSeal),
    keys,
    kept: [],
  };
  const { checks, unchecked, ledger: compared } = await makeLogChecks(log, ledger, witnesses, onFault);
  const verified = await verifyPages(log, paced(runtime.clock, log, aSecond, persist, signal), {
    keys,
    checks,
    chainEnds: lookUpChainEnds(log),
    isSealed: sealedBy(ledger),
    isUnderWay: (began) => runtime.clock.date().getTime() - began.getTime() < ERASURE_MS,
    onFault,
    onPage: (events) => onProgress(events, compared?.().compared ?? events),
    signal: new AbortController().signal,
  });
  for (const { what } of unchecked) onUnchecked(what);
  return { events: verified.events, isWhole: !unchecked.some(({ isUnread }) => isUnread) };
};

/**
 * Verifies the whole log again and again, once in a period: as slowly as the period allows, but at least 1,000 events a
 * second, so that a small log is done soon and rests. Memory does not grow with the log. It goes on when log and database
 * are back, and leaves it to another process when that has become the verifier. It begins anew as soon as a decision of operators is
 * recorded: after that, what was found may be right; or somebody has made it up who has no key.
 */
export const watchLog = (options: WatchLogOptions): LogWatch => {
  const { runtime, store, decisionStreams, isVerifier, periodMs, onFault, onProgress, onPassEnded, onFailed } = options;
  const { clock } = runtime;
  const stopping = new AbortController();
  const { signal } = stopping;
  const mayGoOn = makeMayGoOn(clock, isVerifier, signal);
  let [inLastPass, inThisPass] = [0, 0];

  const pass = async (): Promise<void> => {
    inThisPass = 0;
    onProgress(0, 0);
    const count = (fault: LogFault): void => {
      inThisPass += 1;
      onFault(fault);
    };
    try {
      const { events, isWhole } = await verifyOnce(options, count, mayGoOn, signal);
      // what could not be read may still have the faults that were found there before
      inLastPass = isWhole ? inThisPass : Math.max(inLastPass, inThisPass);
      onPassEnded({ events, faults: inThisPass, isWhole });
    } catch (error) {
      if (!(error instanceof PassOver)) onFailed(error);
    }
  };

  /** How many decisions of operators each stream has, as far as that is known. */
  const decided = new Map<StreamName, ExpectedRevision>();
  const lookForDecisions = async (): Promise<string> => {
    for (const stream of decisionStreams) {
      const newest = await store.newestRevision(stream);
      if (E.isRight(newest)) decided.set(stream, newest.right);
    }
    return [...decided.values()].join(' ');
  };

  const watch = async (): Promise<void> => {
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      if (!(await mayGoOn())) {
        // whoever verifies now says what it finds
        [inLastPass, inThisPass] = [0, 0];
        continue;
      }
      const next = clock.monotonic() + periodMs;
      const before = await lookForDecisions();
      await pass();
      while (clock.monotonic() < next && (await mayGoOn())) {
        if ((await lookForDecisions()) !== before) break;
        await clock.sleep(Math.min(LOOK_MS, periodMs), signal);
      }
    }
  };
  const watching = watch();

  return {
    hasFaults: () => inLastPass + inThisPass > 0,
    stop: async () => {
      stopping.abort();
      await watching;
    },
  };
};
