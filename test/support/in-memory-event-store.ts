import { randomUUID } from 'node:crypto';
import { either as E, type readonlyNonEmptyArray as RNEA } from 'fp-ts';
import { appendBytes, rejection } from '../../src/event-sourcing/append-limits.js';
import {
  type Appended,
  type AppendFailure,
  CheckpointNotInLog,
  type LogBatch,
  type LogRange,
  StoreUnavailable,
  type StreamRange,
  type KeyRange,
} from '../../src/event-sourcing/event-store.js';
import { FIRST_PAGE } from '../../src/event-sourcing/first-page.js';
import {
  categoryOf,
  type ExpectedRevision,
  type NewEvent,
  type Position,
  type StoredEvent,
  type StreamName,
} from '../../src/event-sourcing/recorded-event.js';
import type { StreamPage } from '../../src/event-sourcing/stream-page.js';
import type { Append, LogNotEmpty, LogTarget } from '../../src/event-sourcing/whole-log/log-target.js';
import { pageOf } from './page-of.js';

type Options = {
  /** How many events are read at once. */
  readonly page?: number;
  /** Default: time stands still. */
  readonly monotonic?: () => number;
};

const isWanted =
  (categories: ReadonlyArray<string> | undefined) =>
  ({ stream }: StoredEvent): boolean =>
    categories === undefined || categories.includes(categoryOf(stream));

/** How many events the first page takes of a range that starts small. */
const firstOf = (events: ReadonlyArray<StoredEvent>): number => {
  let bytes = 0;
  const end = events.findIndex(({ data, metadata }) => {
    bytes += Buffer.byteLength(data) + Buffer.byteLength(metadata);
    return bytes > FIRST_PAGE.bytes;
  });
  return Math.min(FIRST_PAGE.events, end === -1 ? events.length : Math.max(1, end));
};

const overdue = new StoreUnavailable('no time is left for a call');

/** The whole log in this process, for tests and as the plainest statement of what a store does. */
export const makeInMemoryEventStore = (
  name: string = randomUUID(),
  { page = 500, monotonic = () => 0 }: Options = {},
): LogTarget => {
  let identity = name;
  let isBeingRestored = false;
  const streams = new Map<StreamName, Array<StoredEvent>>();
  const waiting = new Set<() => void>();
  // the event at index i has position i + 1
  const log: Array<StoredEvent> = [];

  const appendNow = (
    name: StreamName,
    expected: ExpectedRevision,
    events: RNEA.ReadonlyNonEmptyArray<NewEvent>,
  ): E.Either<AppendFailure, Appended> => {
    const rejected = rejection(events, appendBytes(events));
    if (rejected !== undefined) return E.left(rejected);
    const stream = streams.get(name) ?? [];
    const next = expected === 'no-stream' ? 0 : Number(expected) + 1;
    if (next !== stream.length) return settle(stream, expected, events, next);
    const stored = events.map(({ id, type, data, metadata }, index) => ({
      id,
      type,
      data,
      metadata,
      stream: name,
      revision: BigInt(next + index),
      position: BigInt(log.length + index + 1),
    }));
    stream.push(...stored);
    log.push(...stored);
    streams.set(name, stream);
    for (const wake of waiting) wake();
    return E.right({ revision: BigInt(stream.length - 1), position: BigInt(log.length), confirmedNew: true });
  };

  const appendAllNow = (appends: ReadonlyArray<Append>): E.Either<AppendFailure, void> => {
    for (const { stream, expected, events } of appends) {
      const appended = appendNow(stream, expected, events);
      if (E.isLeft(appended)) return appended;
    }
    return E.right(undefined);
  };

  const adoptNow = (given: string): E.Either<LogNotEmpty, void> => {
    if (log.length > 0) return E.left({ _tag: 'LogNotEmpty', identity });
    identity = given;
    return E.right(undefined);
  };

  const settle = (
    stream: ReadonlyArray<StoredEvent>,
    expected: ExpectedRevision,
    events: ReadonlyArray<NewEvent>,
    next: number,
  ): E.Either<AppendFailure, Appended> => {
    const there = stream.slice(next, next + events.length);
    const last = there.at(-1);
    if (last !== undefined && events.every(({ id }, index) => there[index]?.id === id))
      return E.right({ revision: last.revision, position: last.position, confirmedNew: false });
    const actual = stream.at(-1)?.revision ?? 'no-stream';
    return E.left({ _tag: 'RevisionConflict', expected, actual });
  };

  const slice = (name: StreamName, { direction, from, limit = Infinity }: StreamRange): Array<StoredEvent> => {
    const stream = streams.get(name) ?? [];
    if (direction === 'forwards') return stream.slice(Number(from ?? 0n)).slice(0, limit);
    return stream
      .slice(0, from === undefined ? undefined : Number(from) + 1)
      .reverse()
      .slice(0, limit);
  };

  const isOver = (until = Infinity): boolean => monotonic() >= until;

  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
  async function* readStream(name: StreamName, range: StreamRange): AsyncGenerator<StreamPage> {
    if (isOver(range.until)) throw overdue;
    const events = slice(name, range);
    let start = 0;
    let end = range.startsSmall === true ? firstOf(events) : page;
    for (; start < events.length; end += page) {
      yield pageOf(events.slice(start, end), end >= events.length);
      start = end;
    }
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
  async function* readAll({ after, categories }: LogRange): AsyncGenerator<LogBatch> {
    const head = log.length;
    for (let start = after === 'start' ? 0 : Number(after.commit); start < head; start += page) {
      const end = Math.min(head, start + page);
      const commit: Position = BigInt(end);
      yield { events: log.slice(start, end).filter(isWanted(categories)), checkpoint: { commit, prepare: commit } };
    }
  }

  const grown = (beyond: bigint, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const settled = (): void => {
        if (BigInt(log.length) <= beyond && !signal.aborted) return;
        waiting.delete(settled);
        signal.removeEventListener('abort', settled);
        resolve();
      };
      waiting.add(settled);
      signal.addEventListener('abort', settled);
      settled();
    });

  async function* subscribe({ after, categories }: LogRange, signal: AbortSignal): AsyncGenerator<LogBatch> {
    let seen = after;
    if (seen !== 'start' && seen.commit > BigInt(log.length))
      throw new CheckpointNotInLog(seen, `the log ends at position ${log.length}`);
    const isAborted = (): boolean => signal.aborted;
    while (!isAborted()) {
      for await (const batch of readAll({ after: seen, ...(categories && { categories }) })) {
        seen = batch.checkpoint;
        yield batch;
        if (isAborted()) return;
      }
      await grown(seen === 'start' ? 0n : seen.commit, signal);
    }
  }

  const inOrderOfNames = (category: string): ReadonlyArray<StreamName> =>
    [...streams.keys()].filter((name) => categoryOf(name) === category).sort();

  const divide = (category: string, events: number): ReadonlyArray<KeyRange> => {
    let count = 0;
    const bounds = inOrderOfNames(category).filter((name) => {
      const isFull = count >= events;
      count = (isFull ? 0 : count) + (streams.get(name)?.length ?? 0);
      return isFull;
    });
    return [null, ...bounds].map((from, index) => ({ category, from, before: bounds[index] ?? null }));
  };

  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
  async function* readByStream(
    { category, from, before }: KeyRange,
    upTo: Position,
  ): AsyncGenerator<ReadonlyArray<StoredEvent>> {
    const names = inOrderOfNames(category).filter(
      (name) => (from === null || name >= from) && (before === null || name < before),
    );
    const events = names.flatMap((name) => streams.get(name) ?? []).filter(({ position }) => position <= upTo);
    for (let start = 0; start < events.length; start += page) yield events.slice(start, start + page);
  }

  return {
    append: (stream, expected, events, until) =>
      Promise.resolve(isOver(until) ? E.left(overdue) : appendNow(stream, expected, events)),
    readStream,
    newestRevision: (name, until) =>
      Promise.resolve(isOver(until) ? E.left(overdue) : E.right(streams.get(name)?.at(-1)?.revision ?? 'no-stream')),
    readAll,
    subscribe,
    head: (categories) => Promise.resolve(E.right(log.findLast(isWanted(categories))?.position)),
    reaches: ({ commit }) => Promise.resolve(E.right(commit <= BigInt(log.length))),
    identity: () => Promise.resolve(E.right(identity)),
    byStream: { divide: (category, events) => Promise.resolve(E.right(divide(category, events))), read: readByStream },
    appendInOrder: (appends) => Promise.resolve(appendAllNow(appends)),
    adoptIdentity: (given) => Promise.resolve(adoptNow(given)),
    isBeingRestored: () => Promise.resolve(E.right(isBeingRestored)),
    markRestore: (state) => {
      isBeingRestored = state === 'begun';
      return Promise.resolve(E.right(undefined));
    },
  };
};
