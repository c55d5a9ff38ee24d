import { type StatusObject, status } from '@grpc/grpc-js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { CallFailed, callFailed } from './call-failed.js';
import type { Node } from './node.js';
import { within } from './timings.js';

/** Answers held while the consumer works: at most so many, of at most so much data; then the server has to wait. */
const HELD = 500;
const HELD_BYTES = 4 * 1024 * 1024;

/** A read without end. */
export type LogFeed = {
  /**
   * What has come. Until the server has told that all is given that there was: a whole page, or what came within
   * `ms`. From then on: waits up to `ms` for something, and gives it without delay. Empty after a silence. Rejects
   * with `CallFailed` when the call has ended: such a read has no other end.
   */
  readonly take: (ms: number) => Promise<ReadonlyArray<ReadResp>>;
  readonly cancel: () => void;
};

const failureOf = (ended: StatusObject): CallFailed =>
  ended.code === status.OK ? new CallFailed('unknown', 'EventStoreDB ended a subscription') : callFailed(ended);

const sizeOf = (response: ReadResp): number => response.getEvent()?.getEvent()?.getData_asU8().byteLength ?? 0;

/** The call ends when `signal` aborts or the node is given up. */
export const openFeed = (node: Node, request: ReadReq, signal: AbortSignal): LogFeed => {
  let held: Array<ReadResp> = [];
  let bytes = 0;
  let isLive = false;
  let ended: StatusObject | undefined;
  let wake: () => void = () => undefined;

  const call = node.streams.read(request, node.metadata());
  const cancel = (): void => call.cancel();
  const isFull = (): boolean => held.length >= HELD || bytes >= HELD_BYTES;
  const isEnough = (): boolean => ended !== undefined || isFull() || (isLive && held.length > 0);
  const fill = (): void => {
    while (!isFull()) {
      const response = call.read() as ReadResp | null; // reason: typed as any by the stream
      if (response === null) break;
      node.heard();
      held.push(response);
      bytes += sizeOf(response);
      isLive ||= response.hasCaughtUp();
    }
    if (isEnough()) wake();
  };
  call.on('readable', fill);
  // 'status' tells the same; unheard, the error would end the process
  call.on('error', () => undefined);
  call.on('status', (final: StatusObject) => {
    ended = final;
    for (const ending of [signal, node.retired]) ending.removeEventListener('abort', cancel);
    fill();
  });
  for (const ending of [signal, node.retired]) ending.addEventListener('abort', cancel);
  if (signal.aborted || node.retired.aborted) cancel();

  return {
    take: async (ms) => {
      fill();
      if (!isEnough()) await within(ms, new Promise<void>((resolve) => (wake = resolve)));
      const taken = held;
      held = [];
      bytes = 0;
      fill();
      if (taken.length === 0 && held.length === 0 && ended !== undefined) throw failureOf(ended);
      return taken;
    },
    cancel,
  };
};
