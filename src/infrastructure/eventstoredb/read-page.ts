import { type ClientReadableStream, type StatusObject, status } from '@grpc/grpc-js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { StoredEvent } from '../../event-sourcing/recorded-event.js';
import { CallFailed, callFailed } from './call-failed.js';
import type { Node } from './node.js';
import { bytesOf, storedEventOf } from './stored-event.js';

/** Text of one page beyond which it is cut short: an event may have a megabyte. */
const PAGE_BYTES = 1024 * 1024;

type Page = {
  readonly events: ReadonlyArray<StoredEvent>;
  /** There may be more of what was asked for. */
  readonly isCut: boolean;
};

/** A call waits so many times its silence at most while others are answered. */
const WAITING = 4;

/**
 * Ends a call after `ms` in which its node has answered nobody: one of many large reads may have to wait for the others.
 * Unless the server works on it all the same; the call then fails with `CANCELLED`.
 */
const endWhenSilent = (
  call: ClientReadableStream<ReadResp>,
  node: Node,
  ms: number,
  isAlive: () => Promise<boolean>,
) => {
  let isOver = false;
  let heardAt = performance.now();
  let timer: NodeJS.Timeout;
  const wait = (more: number): void => void (timer = setTimeout(look, more));
  const look = (): void => {
    const now = performance.now();
    const left = Math.min(node.heardAt() + ms, heardAt + WAITING * ms) - now;
    if (left > 0) {
      wait(left);
      return;
    }
    void isAlive().then((alive) => {
      if (isOver) return;
      if (alive) wait(ms);
      else call.cancel();
    });
  };
  wait(ms);
  return {
    heard: () => {
      heardAt = performance.now();
      node.heard();
    },
    stop: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
};

/**
 * A read that has an end, whole in memory: its call is over before anybody gets the page, so none can leak. A missing
 * stream is an empty page. Rejects with `CallFailed`, also when nothing comes from the node for `silence` milliseconds (a
 * deadline alone would punish a long page) and `isAlive` then denies that the server is at it; it must not reject.
 */
export const readPage = (
  node: Node,
  request: ReadReq,
  silence: number,
  isAlive: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<Page> =>
  new Promise((resolve, reject) => {
    const events: Array<StoredEvent> = [];
    let bytes = 0;
    let isCut = false;
    const call = node.streams.read(request, node.metadata());
    const watch = endWhenSilent(call, node, silence, isAlive);
    call.on('data', (response: ReadResp) => {
      watch.heard();
      const event = storedEventOf(response);
      if (event === undefined || isCut) return;
      events.push(event);
      bytes += bytesOf(event);
      if (bytes < PAGE_BYTES) return;
      isCut = true;
      call.cancel();
    });
    // 'status' tells the same; unheard, the error would end the process
    call.on('error', () => undefined);
    call.on('status', (ended: StatusObject) => {
      watch.stop();
      if (ended.code === status.OK || isCut) resolve({ events, isCut });
      else if (ended.code === status.CANCELLED)
        reject(new CallFailed('unknown', `EventStoreDB: nothing came for ${silence} ms`));
      else reject(callFailed(ended));
    });
  });
