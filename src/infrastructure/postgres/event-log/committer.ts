import { either as E, readonlyArray as RA } from 'fp-ts';
import { SILENCE_MS } from '../../../event-sourcing/answer-deadline.js';
import { StoreUnavailable } from '../../../event-sourcing/event-store.js';
import { nextRevision, type StoredEvent } from '../../../event-sourcing/recorded-event.js';
import type { PendingAppend } from './append-queue.js';
import { appendedAt, appendStatement, outcomeOf, type StoredAppend } from './append-statement.js';
import type { CommitFeed } from './commit-feed.js';
import type { OnConnectionEvent } from '../../../event-sourcing/connection-event.js';
import type { LastingConnection } from '../../../postgres/lasting-connection.js';
import { makeRetry } from '../../../event-sourcing/retry.js';
import { conflictQuery, conflictOutcome } from './conflict-outcome.js';
import { sqlFailureOf } from '../../../postgres/sql-failure.js';
import { run, type Statement, type TextRow } from '../../../postgres/statement.js';
import type { Runtime } from '../../../event-sourcing/runtime.js';

/**
 * How long a statement may take at least, however late it begins, ms: an append is tried for `SILENCE_MS` from its
 * arrival, and for no longer than leaves so much of its time. Together less than `answerDeadline` gives.
 */
const MINIMUM_TIMEOUT = 200;

const storedEvents = ({ append, position }: StoredAppend<PendingAppend>): ReadonlyArray<StoredEvent> =>
  append.events.map(({ id, type, data, metadata }, index) => ({
    id,
    type,
    data,
    metadata,
    stream: append.stream,
    revision: nextRevision(append.expected) + BigInt(index),
    position: position + BigInt(index),
  }));

/** When its last try begins at the latest. */
const latestOf = ({ since, until }: PendingAppend): number => Math.min(since + SILENCE_MS, until - MINIMUM_TIMEOUT);

type CommitterDeps = {
  readonly runtime: Runtime;
  readonly connection: LastingConnection;
  readonly feed: CommitFeed;
  /** The name of this process in notifications; null: it sends none. */
  readonly notifier: string | null;
  readonly onConnectionEvent: OnConnectionEvent;
};

/**
 * Stores batches, one after the other, and answers each of their appends. After a lost connection the outcome is
 * unknown, so the same appends are sent again: those that had been stored are recognised by their ids.
 */
export const makeCommitter = ({ runtime, connection, feed, notifier, onConnectionEvent }: CommitterDeps) => {
  const { clock } = runtime;

  const isLate = (append: PendingAppend): boolean => clock.monotonic() > latestOf(append);

  /** Whether too little time is left for another statement. */
  const isOver = ({ until }: PendingAppend): boolean => clock.monotonic() > until - MINIMUM_TIMEOUT;

  /** For the append that is late first, ms. */
  const timeLeft = (appends: ReadonlyArray<PendingAppend>): number =>
    Math.max(MINIMUM_TIMEOUT, Math.min(...appends.map(latestOf)) - clock.monotonic());

  const ask = async (statement: Statement, appends: ReadonlyArray<PendingAppend>): Promise<ReadonlyArray<TextRow>> => {
    const client = connection.current() ?? (await connection.open(timeLeft(appends)));
    // all come from the same process, so that one answer is that of all
    const may = await appends[0]?.mayAppend?.();
    if (may !== undefined && E.isLeft(may)) throw may.left;
    return run(client, statement, timeLeft(appends));
  };

  const drop = (cause: unknown): void => {
    if (connection.current() === undefined) return;
    connection.drop();
    onConnectionEvent({ kind: 'connection-lost', connection: 'writer', cause });
  };

  /** Answers the appends that were stored and gives the others. */
  const insert = async (batch: ReadonlyArray<PendingAppend>): Promise<ReadonlyArray<PendingAppend>> => {
    const { prev, head, stored, conflicting } = outcomeOf(batch, await ask(appendStatement(notifier, batch), batch));
    const bytes = batch.reduce((sum, append) => sum + append.bytes, 0);
    feed.publish({ prev, head, events: stored.flatMap(storedEvents), bytes });
    for (const entry of stored) entry.append.answer(E.right(appendedAt(entry)));
    return conflicting;
  };

  /** Answers the appends that conflict or repeat and gives those that may be tried again. */
  const answerConflicts = async (conflicting: ReadonlyArray<PendingAppend>): Promise<ReadonlyArray<PendingAppend>> => {
    const rows = await ask(conflictQuery(conflicting), conflicting);
    return conflicting.filter((append, index) => {
      const row = rows[index];
      const outcome = row === undefined ? undefined : conflictOutcome(append, row);
      if (outcome === undefined) return true;
      if (E.isRight(outcome)) feed.raise(outcome.right.position);
      append.answer(outcome);
      return false;
    });
  };

  const fail = (appends: ReadonlyArray<PendingAppend>, cause: unknown): void => {
    onConnectionEvent({ kind: 'append-failed', appends: appends.length, cause });
    for (const { answer } of appends)
      answer(E.left(new StoreUnavailable('the event log did not take the append', cause)));
  };

  /** A rejected value fails its own append: the others are repeated one by one. */
  const rejectAlone = async (appends: ReadonlyArray<PendingAppend>, cause: unknown): Promise<void> => {
    const [only, ...others] = appends;
    if (only !== undefined && others.length === 0) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      only.answer(E.left({ _tag: 'AppendRejected', reason }));
      return;
    }
    onConnectionEvent({ kind: 'batch-split', appends: appends.length, cause });
    for (const append of appends) await commit([append]);
  };

  /** Fails those of which that is so and gives the others. */
  const failWhere = (
    isToFail: (append: PendingAppend) => boolean,
    appends: ReadonlyArray<PendingAppend>,
    cause: unknown,
  ): ReadonlyArray<PendingAppend> => {
    if (!appends.some(isToFail)) return appends;
    const { left: others, right: failed } = RA.partition(isToFail)(appends);
    fail(failed, cause);
    return others;
  };

  const failLate = (appends: ReadonlyArray<PendingAppend>, cause: unknown): ReadonlyArray<PendingAppend> =>
    failWhere(isLate, appends, cause);

  const failOver = (appends: ReadonlyArray<PendingAppend>): ReadonlyArray<PendingAppend> =>
    failWhere(isOver, appends, new Error('too little time is left'));

  const commit = async (batch: ReadonlyArray<PendingAppend>): Promise<void> => {
    // a lost connection is not opened again for appends that are late already
    let open = connection.current() !== undefined ? batch : failLate(batch, new Error('no connection'));
    const retry = makeRetry({ runtime, first: 10, longest: 200 });
    for (;;) {
      open = failOver(open);
      if (open.length === 0) return;
      try {
        open = failOver(await insert(open));
        if (open.length > 0) open = await answerConflicts(open);
        // their streams changed between the two statements: tried again, they fit or conflict
        open = failLate(open, new Error('other processes keep appending to the stream'));
      } catch (cause) {
        const failure = cause instanceof StoreUnavailable ? 'Unable' : sqlFailureOf(cause);
        if (failure === 'Rejected') {
          await rejectAlone(open, cause);
          return;
        }
        if (failure === 'Lost') drop(cause);
        if (failure === 'Unable') {
          fail(open, cause);
          return;
        }
        open = failLate(open, cause);
        if (open.length > 0) await retry.again();
      }
    }
  };

  return commit;
};
