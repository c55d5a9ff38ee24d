import type { StatusObject } from '@grpc/grpc-js';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Append } from '../../../event-sourcing/whole-log/log-target.js';
import { asUndecided, CallFailed, callFailed } from '../connection/call-failed.js';
import type { Node } from '../connection/node.js';
import { appendRequest } from './append-request.js';
import { type AppendResponse, appendResponse } from './append-response.js';

type Pending = {
  /** When it is given up, of `performance.now`. */
  readonly until: number;
  readonly resolve: (response: AppendResponse) => void;
  readonly reject: (failure: unknown) => void;
};

/**
 * All appends of a connection over one call: what is appended in one turn of the event loop is sent together, and an
 * append costs two messages instead of a call of its own, here and in the server. When the call fails, the outcome of
 * every append under way is unknown.
 */
type AppendStream = {
  /**
   * Appends are stored in the order of these calls, without waiting for each other. Rejects with `CallFailed`, also
   * after `timeout` milliseconds.
   */
  readonly append: (append: Append, timeout: number) => Promise<AppendResponse>;
};

const noAnswer = (): CallFailed => new CallFailed('outcome-unknown', 'EventStoreDB did not answer an append in time');

/** A UUID, as the server wants it, that no other append of this call has. */
const correlationOf = (number: number): string => `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;

const openStream = (node: Node, onEnd: () => void): AppendStream => {
  const pending = new Map<string, Pending>();
  let sent = 0;
  let timer: NodeJS.Timeout | undefined;
  let checkAt = Infinity;

  const call = node.streams.batchAppend(node.metadata());
  // what is under way on a connection that was closed may still be answered, within its time
  const endWhenClosed = (): void => {
    if (node.closed.aborted && pending.size === 0) call.cancel();
  };

  // one timer for all: nearly all have the same time
  const check = (): void => {
    const now = performance.now();
    checkAt = Infinity;
    for (const [correlation, { until, reject }] of pending) {
      if (until <= now) {
        pending.delete(correlation);
        reject(noAnswer());
        endWhenClosed();
      } else checkAt = Math.min(checkAt, until);
    }
    timer = checkAt === Infinity ? undefined : setTimeout(check, checkAt - now);
  };
  const checkBy = (until: number): void => {
    if (until >= checkAt) return;
    clearTimeout(timer);
    checkAt = until;
    timer = setTimeout(check, until - performance.now());
  };

  call.on('data', (response: BatchAppendResp) => {
    node.noteMessage();
    const correlation = response.getCorrelationId()?.getString() ?? '';
    const answered = pending.get(correlation);
    if (answered === undefined) return;
    pending.delete(correlation);
    try {
      answered.resolve(appendResponse(response));
    } catch (failure) {
      answered.reject(failure);
    }
    endWhenClosed();
  });
  // 'status' comes as well; without a listener the error would end the process
  call.on('error', () => undefined);
  call.on('status', (ended: StatusObject) => {
    clearTimeout(timer);
    node.closed.removeEventListener('abort', endWhenClosed);
    onEnd();
    const failure = asUndecided(callFailed(ended));
    for (const { reject } of pending.values()) reject(failure);
    pending.clear();
  });
  node.closed.addEventListener('abort', endWhenClosed);

  return {
    append: (append, timeout) =>
      new Promise((resolve, reject) => {
        const correlation = correlationOf((sent += 1));
        const request = appendRequest(correlation, append);
        const until = performance.now() + timeout;
        pending.set(correlation, { until, resolve, reject });
        checkBy(until);
        call.write(request);
      }),
  };
};

const streamsByNode = new WeakMap<Node, AppendStream>();

/** The one call for the appends of a connection, opened by the first and again after it has failed. */
const streamOf = (node: Node): AppendStream => {
  const open = streamsByNode.get(node);
  if (open !== undefined) return open;
  const opened = openStream(node, () => void streamsByNode.delete(node));
  streamsByNode.set(node, opened);
  return opened;
};

/** Resolves to the server's response to one append. Rejects with `CallFailed`, also after `timeout` milliseconds. */
export const callAppend = async (node: Node, append: Append, timeout: number): Promise<AppendResponse> =>
  streamOf(node).append(append, timeout);
