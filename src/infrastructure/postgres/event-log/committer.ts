import { either as E } from 'fp-ts';
import type pg from 'pg';
import { StoreUnavailable } from '../../../event-sourcing/event-store.js';
import type { StoredEvent } from '../../../event-sourcing/recorded-event.js';
import type { PendingAppend } from './append-queue.js';
import {
  appendedAt,
  type AppendRow,
  batchAppend,
  firstRevision,
  placeCommands,
  type PlacedCommand,
  type SentStatement,
} from './append-statement.js';
import type { CommitFeed } from './commit-feed.js';
import type { OnIncident } from './incident.js';
import type { LastingConnection } from './lasting-connection.js';
import { loneAppend } from './lone-append-statement.js';
import { jitter } from './pause.js';
import { type ConflictRow, conflictQuestion, settleConflict } from './settle-conflicts.js';
import { sqlFailureOf } from './sql-failure.js';

/** How long an append is repeated over a lost connection, from its arrival, ms. */
const RECONNECT_BUDGET = 2_000;

const storedEvents = ({ command, position }: PlacedCommand<PendingAppend>): ReadonlyArray<StoredEvent> =>
  command.events.map(({ id, type, data, metadata }, index) => ({
    id,
    type,
    data,
    metadata,
    stream: command.stream,
    revision: firstRevision(command) + BigInt(index),
    position: position + BigInt(index),
  }));

const appendOf = (process: string, batch: ReadonlyArray<PendingAppend>): SentStatement => {
  const [only, ...others] = batch;
  const [event, ...further] = only?.events ?? [];
  return only !== undefined && event !== undefined && others.length + further.length === 0
    ? loneAppend(process, only, event)
    : batchAppend(process, batch);
};

type CommitterDeps = {
  readonly connection: LastingConnection;
  readonly feed: CommitFeed;
  /** Names this process in notifications. */
  readonly process: string;
  readonly onIncident: OnIncident;
};

/**
 * Stores batches, one after the other, and answers each of their appends. After a lost connection the outcome is
 * unknown, so the same appends are sent again: what had been stored is then recognised by its ids.
 */
export const makeCommitter = ({ connection, feed, process, onIncident }: CommitterDeps) => {
  const ask = async <Row extends Array<unknown>>(statement: SentStatement): Promise<ReadonlyArray<Row>> => {
    const client: pg.Client = await connection.open();
    const { rows } = await client.query<Row>({ ...statement, rowMode: 'array' });
    return rows;
  };

  /** Answers the appends that were stored and gives the others. */
  const insert = async (batch: ReadonlyArray<PendingAppend>): Promise<ReadonlyArray<PendingAppend>> => {
    const rows = await ask<AppendRow>(appendOf(process, batch));
    const prev = BigInt(rows[0]?.[0] ?? 0n);
    const { stored, conflicting } = placeCommands(batch, prev, new Set(rows.map(([, place]) => place)));
    const taken = batch.reduce((sum, { events }) => sum + events.length, 0);
    const bytes = batch.reduce((sum, append) => sum + append.bytes, 0);
    feed.publish({ prev, head: prev + BigInt(taken), events: stored.flatMap(storedEvents), bytes });
    for (const placed of stored) placed.command.answer(E.right(appendedAt(placed)));
    return conflicting;
  };

  /** Answers the appends that conflict or repeat and gives those that may be tried again. */
  const settle = async (conflicting: ReadonlyArray<PendingAppend>): Promise<ReadonlyArray<PendingAppend>> => {
    const rows = await ask<ConflictRow>(conflictQuestion(conflicting));
    return conflicting.filter((append, index) => {
      const row = rows[index];
      const outcome = row === undefined ? undefined : settleConflict(append, row);
      if (outcome === undefined) return true;
      if (E.isRight(outcome)) feed.raise(outcome.right.position);
      append.answer(outcome);
      return false;
    });
  };

  const fail = (appends: ReadonlyArray<PendingAppend>, cause: unknown): void => {
    onIncident({ _tag: 'AppendFailed', appends: appends.length, cause });
    for (const { answer } of appends)
      answer(E.left(new StoreUnavailable('the event log did not take the append', cause)));
  };

  const refuse = async (appends: ReadonlyArray<PendingAppend>, cause: unknown): Promise<void> => {
    const [only, ...others] = appends;
    if (only !== undefined && others.length === 0) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      only.answer(E.left({ _tag: 'AppendRejected', reason }));
      return;
    }
    onIncident({ _tag: 'BatchSplit', appends: appends.length, cause });
    for (const append of appends) await commit([append]);
  };

  const isLate = (appends: ReadonlyArray<PendingAppend>): boolean => {
    const newest = Math.max(...appends.map(({ since }) => since));
    return performance.now() > newest + RECONNECT_BUDGET;
  };

  const commit = async (batch: ReadonlyArray<PendingAppend>): Promise<void> => {
    let open = batch;
    // an append that has waited its time out is not what a lost connection is opened for
    if (!connection.isOpen() && isLate(open)) {
      fail(open, new Error('no connection'));
      return;
    }
    for (let failures = 0; open.length > 0;) {
      try {
        open = await insert(open);
        if (open.length > 0) open = await settle(open);
        if (open.length === 0) return;
        // their stream moved between two statements: they fit or conflict when they are tried again
        if (!isLate(open)) continue;
        fail(open, new Error('the stream keeps moving'));
        return;
      } catch (cause) {
        const failure = sqlFailureOf(cause);
        if (failure === 'Refused') {
          await refuse(open, cause);
          return;
        }
        if (failure === 'Lost') connection.drop();
        if (failure === 'Unable' || isLate(open)) {
          fail(open, cause);
          return;
        }
        await jitter(Math.min(200, 10 * 2 ** failures));
      }
    }
  };

  return commit;
};
