import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Clock } from '../../event-sourcing/clock.js';

/** An unread body up to this size is discarded by Node and the connection kept, bytes. */
const WORTH_KEEPING = 64 * 1024;

/** Longest time, ms, for which the rest of a body is discarded so that the client can read its response. */
const LINGER = 1000;

/** Whether the request's body is still on its way, and too long to wait for. */
export const mustClose = ({ complete, headers }: IncomingMessage): boolean => {
  if (complete) return false;
  const length = headers['content-length'];
  if (headers['transfer-encoding'] !== undefined || headers.expect !== undefined) return true;
  return length !== undefined && Number(length) > WORTH_KEEPING;
};

/** The same where nothing more is read from the connection, so that no body is short enough to be left to Node. */
export const hasUnreadBody = (request: IncomingMessage): boolean =>
  mustClose(request) || (!request.complete && Number(request.headers['content-length']) > 0);

/**
 * Discards the rest of a body, or of all that comes on a connection, for a while, then calls `done`. A connection that is
 * closed at once, with unread bytes in it, is reset, and the reset may overtake the response (RFC 9112 §9.6).
 */
export const linger = (clock: Clock, rest: Readable, done: () => void): void => {
  const finish = (): void => {
    cancel();
    rest.off('end', finish).off('close', finish);
    done();
  };
  const cancel = clock.after(LINGER, finish, { isBackground: true });
  rest.on('end', finish).on('close', finish).resume();
};
