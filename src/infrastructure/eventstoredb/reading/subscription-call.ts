import { type StatusObject, status } from '@grpc/grpc-js';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { withTimeout } from '../../../event-sourcing/with-timeout.js';
import { CallFailed, callFailed } from '../connection/call-failed.js';
import type { Node } from '../connection/node.js';
import { callRead } from './call-read.js';
import type { ReadMessage } from './read-response.js';

/** A buffer of so many messages, or of so many bytes of data, is full: the server waits until it is taken. */
const FULL = 500;
const FULL_BYTES = 4 * 1024 * 1024;

/** A call that has no end. */
export type SubscriptionCall = {
  /**
   * The messages that have come. While the server catches up: a full buffer, or what has come after `ms`. From then on:
   * the next messages at once, or none after `ms`. Rejects with `CallFailed` when the call has ended.
   */
  readonly take: (ms: number) => Promise<ReadonlyArray<ReadMessage>>;
  readonly cancel: () => void;
};

const failureOf = (ended: StatusObject): CallFailed =>
  ended.code === status.OK ? new CallFailed('outcome-unknown', 'EventStoreDB ended a subscription') : callFailed(ended);

const bytesIn = (message: ReadMessage): number => (message._tag === 'Event' ? message.event.data.length : 0);

/** The call ends when `signal` aborts or the node is closed. */
export const callSubscription = (node: Node, request: ReadReq, signal: AbortSignal): SubscriptionCall => {
  let buffer: Array<ReadMessage> = [];
  let bytes = 0;
  let isLive = false;
  let ended: StatusObject | undefined;
  let wake: () => void = () => undefined;

  const call = callRead(node, request);
  const cancel = (): void => call.cancel();
  const isFull = (): boolean => buffer.length >= FULL || bytes >= FULL_BYTES;
  const isReady = (): boolean => ended !== undefined || isFull() || (isLive && buffer.length > 0);
  const fill = (): void => {
    while (!isFull()) {
      const message = call.read() as ReadMessage | null; // reason: typed as any by the stream
      if (message === null) break;
      node.noteMessage();
      buffer.push(message);
      bytes += bytesIn(message);
      isLive ||= message._tag === 'CaughtUp';
    }
    if (isReady()) wake();
  };
  call.on('readable', fill);
  // 'status' comes as well; without a listener the error would end the process
  call.on('error', () => undefined);
  call.on('status', (final: StatusObject) => {
    ended = final;
    for (const ending of [signal, node.closed]) ending.removeEventListener('abort', cancel);
    fill();
  });
  for (const ending of [signal, node.closed]) ending.addEventListener('abort', cancel);
  if (signal.aborted || node.closed.aborted) cancel();

  return {
    take: async (ms) => {
      fill();
      if (!isReady()) await withTimeout(node.runtime.clock, ms, new Promise<void>((resolve) => (wake = resolve)));
      const taken = buffer;
      buffer = [];
      bytes = 0;
      fill();
      if (taken.length === 0 && buffer.length === 0 && ended !== undefined) throw failureOf(ended);
      return taken;
    },
    cancel,
  };
};
