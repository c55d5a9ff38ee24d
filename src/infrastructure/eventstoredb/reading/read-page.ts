import { type ClientReadableStream, type StatusObject, status } from '@grpc/grpc-js';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { Cancel } from '../../../event-sourcing/clock.js';
import type { EventBytes } from '../../../event-sourcing/stream-page.js';
import { callFailed, nothingCame } from '../connection/call-failed.js';
import type { Node } from '../connection/node.js';
import { callRead } from './call-read.js';
import type { ReadMessage } from './read-response.js';

/** Default of `largest`: one event may have a megabyte. */
const PAGE_SIZE = 1024 * 1024;

type Page = {
  readonly events: ReadonlyArray<EventBytes>;
  /** There may be more of what was asked for. */
  readonly isCut: boolean;
};

type Options = {
  readonly isWorking?: (() => Promise<boolean>) | undefined;
  readonly largest?: number;
  /** When it is given up whatever comes, of `Clock.monotonic`. Default: never. */
  readonly until?: number | undefined;
};

/** A call without a message gets so many times its timeout while its node answers other calls. */
const TIMEOUTS_WHILE_BUSY = 2.5;

/**
 * Cancels a call after `timeout` milliseconds without a message from its node, or a multiple of it without one in the
 * call itself: one of many large reads may have to wait for the others. Not while `isWorking` resolves to true.
 */
const cancelWhenIdle = (
  call: ClientReadableStream<ReadMessage>,
  node: Node,
  timeout: number,
  { isWorking, until: givenUpAt }: { readonly isWorking: () => Promise<boolean>; readonly until: number },
) => {
  const { clock } = node.runtime;
  let isOver = false;
  let lastMessageAt = clock.monotonic();
  // where this process itself stood still, what came meanwhile is read between the timer and the check
  const checkAfter = (ms: number): Cancel => clock.after(ms, () => clock.soon(check));
  const check = (): void => {
    if (isOver) return;
    const until = Math.min(node.lastMessageAt() + timeout, lastMessageAt + TIMEOUTS_WHILE_BUSY * timeout, givenUpAt);
    const left = until - clock.monotonic();
    if (left > 0) {
      cancel = checkAfter(left);
      return;
    }
    void isWorking().then((working) => {
      if (isOver) return;
      if (working) cancel = checkAfter(timeout);
      else call.cancel();
    });
  };
  let cancel = checkAfter(timeout);
  return {
    noteMessage: () => {
      lastMessageAt = clock.monotonic();
      node.noteMessage();
    },
    stop: () => {
      isOver = true;
      cancel();
    },
  };
};

/**
 * A read that has an end, whole in memory: its call is over before anybody gets the page, so none can leak. It is cut
 * before the event that makes it larger than `largest`, bytes, unless that is its first. The page of a missing stream is
 * empty, and so is that of one that was deleted, for good or not: its record is then found to be ahead of its stream, and
 * all others go on. Rejects with `CallFailed`, also after `timeout` milliseconds without a message (a deadline
 * would end a long page that is coming), unless `isWorking`, which must not reject, says that the server is busy with it.
 */
export const readPage = (
  node: Node,
  request: ReadReq,
  timeout: number,
  { isWorking = () => Promise.resolve(false), largest = PAGE_SIZE, until = Infinity }: Options = {},
): Promise<Page> =>
  new Promise((resolve, reject) => {
    const events: Array<EventBytes> = [];
    let size = 0;
    let isCut = false;
    const call = callRead(node, request);
    const idle = cancelWhenIdle(call, node, timeout, { isWorking, until });
    call.on('data', (message: ReadMessage) => {
      idle.noteMessage();
      if (message._tag !== 'Event' || isCut) return;
      const { event } = message;
      size += event.dataSize + event.metadataSize;
      isCut = size > largest && events.length > 0;
      if (isCut) call.cancel();
      else events.push(event);
    });
    // 'status' comes as well; without a listener the error would end the process
    call.on('error', () => undefined);
    call.on('status', (ended: StatusObject) => {
      idle.stop();
      if (ended.code === status.OK || isCut) resolve({ events, isCut });
      else if (ended.code === status.CANCELLED) reject(nothingCame(timeout));
      else {
        const failure = callFailed(ended);
        if (failure.kind === 'stream-deleted') resolve({ events: [], isCut: false });
        else reject(failure);
      }
    });
  });
