import { either as E, type readonlyNonEmptyArray as RNEA } from 'fp-ts';
import { appendBytes, rejection } from '../../event-sourcing/append-limits.js';
import {
  type Appended,
  type AppendFailure,
  asStoreUnavailable,
  type EventStore,
  StoreUnavailable,
} from '../../event-sourcing/event-store.js';
import { pause } from '../../event-sourcing/pause.js';
import type { ExpectedRevision, NewEvent, StoredEvent, StreamName } from '../../event-sourcing/recorded-event.js';
import { type AppendAnswer, callAppend } from './append-call.js';
import { CallFailed } from './call-failed.js';
import { type Access, onLeader, silenceUntil } from './on-leader.js';
import { readPage } from './read-page.js';
import { streamRead } from './read-request.js';
import { pauseOf } from './timings.js';

type Append = {
  readonly stream: StreamName;
  readonly expected: ExpectedRevision;
  readonly events: RNEA.ReadonlyNonEmptyArray<NewEvent>;
};

/** An answer, and whether an earlier call of the same append may have stored the events. */
type Settled = { readonly answer: AppendAnswer; readonly isRepeated: boolean };

const permanent = ({ stream }: Append, failure: CallFailed): AppendFailure => {
  if (failure.kind === 'too-large') return { _tag: 'AppendRejected', reason: failure.message };
  if (failure.kind === 'stream-gone')
    return { _tag: 'AppendRejected', reason: `${stream} has been deleted for good in EventStoreDB` };
  return asStoreUnavailable(failure);
};

/** One call on the leader. The node is given up when it may have been the reason of the failure. */
const callOnce = async (
  { connection, timings }: Access,
  { stream, expected, events }: Append,
  until: number,
): Promise<E.Either<CallFailed | StoreUnavailable, AppendAnswer>> => {
  const node = await connection.node(until).catch(asStoreUnavailable);
  if (node instanceof StoreUnavailable) return E.left(node);
  try {
    return E.right(await callAppend(node, stream, expected, events, silenceUntil(until, timings)));
  } catch (failure) {
    if (!(failure instanceof CallFailed)) throw failure;
    if (failure.isPassing) connection.giveUp(node, failure);
    return E.left(failure);
  }
};

/**
 * Repeats with the same ids at the same place until the outcome is known, never while a call is pending (the server
 * lets a second identical append wait for the first until it times out), for a moment only: a command before a log that
 * is down shall know it soon. Whoever then repeats it with the same ids learns what became of it.
 */
const settle = async (access: Access, append: Append, until: number): Promise<E.Either<AppendFailure, Settled>> => {
  const { connection, timings, onConnectionEvent } = access;
  let isRepeated = false;
  for (let round = 0; ; round++) {
    const outcome = await callOnce(access, append, until);
    if (E.isRight(outcome)) return E.right({ answer: outcome.right, isRepeated });
    const failure = outcome.left;
    if (failure instanceof CallFailed && !failure.isPassing) return E.left(permanent(append, failure));
    // the connection itself has waited
    if (failure instanceof StoreUnavailable) return E.left(failure);
    isRepeated ||= failure.kind === 'unknown';
    const ms = pauseOf(timings, round);
    if (performance.now() + ms > until || connection.closed.aborted) return E.left(asStoreUnavailable(failure));
    onConnectionEvent({ kind: 'append-repeated', stream: append.stream, cause: failure });
    await pause(ms, connection.closed);
  }
};

/** What stands where these events would stand. */
const there = async (
  access: Access,
  { stream, expected, events }: Append,
  until: number,
): Promise<ReadonlyArray<StoredEvent>> => {
  const from = expected === 'no-stream' ? 0n : expected + 1n;
  const request = streamRead(stream, 'forwards', from, events.length);
  return (await onLeader(access, (node, silence) => readPage(node, request, silence), until)).events;
};

const lastIfSame = (
  stored: ReadonlyArray<StoredEvent>,
  events: ReadonlyArray<NewEvent>,
): E.Either<undefined, Appended> => {
  const last = stored.at(-1);
  return last !== undefined && stored.length === events.length && stored.every(({ id }, i) => id === events[i]?.id)
    ? E.right({ revision: last.revision, position: last.position, confirmedNew: false })
    : E.left(undefined);
};

const conclude = async (
  access: Access,
  append: Append,
  { answer, isRepeated }: Settled,
  until: number,
): Promise<E.Either<AppendFailure, Appended>> => {
  if (answer._tag === 'Stored' && answer.position !== undefined)
    return E.right({ revision: answer.revision, position: answer.position, confirmedNew: false });
  const conflict = (actual: ExpectedRevision): AppendFailure => ({
    _tag: 'RevisionConflict',
    expected: append.expected,
    actual,
  });
  if (answer._tag === 'WrongRevision' && !isRepeated) return E.left(conflict(answer.actual));
  const found = lastIfSame(await there(access, append, until), append.events);
  if (E.isRight(found)) return found;
  return answer._tag === 'WrongRevision'
    ? E.left(conflict(answer.actual))
    : E.left(new StoreUnavailable(`${append.stream}: stored, but not to be read back`));
};

/**
 * `confirmedNew` is always false: the server answers a repeated append as it answers a new one, and compares ids
 * alone.
 */
export const makeAppend =
  (access: Access): EventStore['append'] =>
  async (stream, expected, events) => {
    const append = { stream, expected, events };
    try {
      const rejected = rejection(events, appendBytes(events));
      if (rejected !== undefined) return E.left(rejected);
      const until = performance.now() + access.timings.patience;
      const settled = await settle(access, append, until);
      return E.isLeft(settled) ? settled : await conclude(access, append, settled.right, until);
    } catch (failure) {
      return E.left(asStoreUnavailable(failure));
    }
  };
