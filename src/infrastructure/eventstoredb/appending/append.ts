import { either as E } from 'fp-ts';
import { appendBytes, rejection } from '../../../event-sourcing/append-limits.js';
import {
  type Appended,
  type AppendFailure,
  asStoreUnavailable,
  type EventStore,
  type MayAppend,
  StoreUnavailable,
} from '../../../event-sourcing/event-store.js';
import { nextRevision } from '../../../event-sourcing/recorded-event.js';
import type { Append } from '../../../event-sourcing/whole-log/log-target.js';
import { CallFailed } from '../connection/call-failed.js';
import type { Node } from '../connection/node.js';
import { type Access, latestTry, noTime, onLeader, readOnLeader, timeLeft } from '../connection/on-leader.js';
import { readPage } from '../reading/read-page.js';
import { streamRequest } from '../reading/read-request.js';
import { type AppendResponse, callAppend } from './append-call.js';
import { appendTogether } from './append-together.js';

/** The server's response, and whether an earlier try may have stored the events. */
type Responded = { readonly response: AppendResponse; readonly mayHaveBeenStored: boolean };

/** Of a stream that was deleted for good, which is read as one without events. */
const failureOfDeleted = ({ stream, expected }: Append): AppendFailure =>
  expected === 'no-stream'
    ? { _tag: 'AppendRejected', reason: `${stream} has been deleted for good in EventStoreDB` }
    : { _tag: 'RevisionConflict', expected, actual: 'no-stream' };

const failureOf = (append: Append, failure: CallFailed | StoreUnavailable): AppendFailure => {
  if (!(failure instanceof CallFailed)) return failure;
  if (failure.kind === 'too-large') return { _tag: 'AppendRejected', reason: failure.message };
  return failure.kind === 'stream-deleted' ? failureOfDeleted(append) : asStoreUnavailable(failure);
};

/** Revision and position of these events; undefined unless all of them follow the expected revision in their stream. */
const findStored = async (
  node: Node,
  { stream, expected, events }: Append,
  timeout: number,
): Promise<Appended | undefined> => {
  const request = streamRequest(stream, 'forwards', nextRevision(expected), events.length);
  const { events: stored } = await readPage(node, request, timeout);
  const last = stored.at(-1);
  return last !== undefined && stored.length === events.length && stored.every(({ id }, i) => id === events[i]?.id)
    ? { revision: last.revision, position: last.position, confirmedNew: false }
    : undefined;
};

/**
 * Every try has the same ids and the same expected revision, so that the server stores the events once. It begins when
 * the one before is over: the server holds back an append that it is still storing until it times out. It may also be
 * storing one that it has given up itself, after a pause; so that one is looked for before it is repeated.
 */
const call = async (
  access: Access,
  append: Append,
  until: number,
  mayAppend: MayAppend | undefined,
): Promise<E.Either<AppendFailure, Responded>> => {
  let mayHaveBeenStored = false;
  let isLookedFor = false;
  let send = appendTogether;
  const outcome = await onLeader(
    access,
    async (node, timeout): Promise<AppendResponse> => {
      const may = await mayAppend?.();
      if (may !== undefined && E.isLeft(may)) throw may.left;
      // what was asked before has taken a part of it
      const left = (): number => {
        const ms = Math.min(timeout, timeLeft(access, until));
        if (ms <= 0) throw noTime();
        return ms;
      };
      const stored = isLookedFor ? await findStored(node, append, left()) : undefined;
      return stored === undefined ? send(node, append, left()) : { _tag: 'Stored', ...stored };
    },
    until,
    (failure) => {
      mayHaveBeenStored ||= failure.isUndecided;
      isLookedFor = failure.kind === 'server-timeout';
      // alone, it is told why it fails
      send = callAppend;
      access.onConnectionEvent({ kind: 'append-repeated', stream: append.stream, cause: failure });
    },
  );
  return E.bimap(
    (failure: CallFailed | StoreUnavailable) => failureOf(append, failure),
    (response: AppendResponse) => ({ response, mayHaveBeenStored }),
  )(outcome);
};

const outcomeOf = async (
  access: Access,
  append: Append,
  { response, mayHaveBeenStored }: Responded,
  until: number,
): Promise<E.Either<AppendFailure, Appended>> => {
  if (response._tag === 'Stored' && response.position !== undefined)
    return E.right({ revision: response.revision, position: response.position, confirmedNew: false });
  const otherwise: AppendFailure =
    response._tag === 'WrongRevision'
      ? { _tag: 'RevisionConflict', expected: append.expected, actual: response.actual }
      : new StoreUnavailable(`${append.stream}: stored, but it could not be read back`);
  if (response._tag === 'WrongRevision' && !mayHaveBeenStored) return E.left(otherwise);
  const found = await readOnLeader(access, (node, timeout) => findStored(node, append, timeout), until);
  return E.chain(E.fromNullable(otherwise))(found);
};

/**
 * `confirmedNew` is always false: the server responds to a repeated append as to a new one, and compares ids only.
 */
export const makeAppend =
  (access: Access): EventStore['append'] =>
  async (stream, expected, events, until, mayAppend) => {
    const append = { stream, expected, events };
    const rejected = E.tryCatch(() => rejection(events, appendBytes(events)), asStoreUnavailable);
    if (E.isLeft(rejected)) return rejected;
    if (rejected.right !== undefined) return E.left(rejected.right);
    const latest = latestTry(access, until);
    const responded = await call(access, append, latest, mayAppend);
    return E.isLeft(responded) ? responded : outcomeOf(access, append, responded.right, latest);
  };
