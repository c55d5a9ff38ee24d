import type { IncomingMessage, ServerResponse } from 'node:http';
import { either as E } from 'fp-ts';
import { UNCOUNTED_BYTES } from '../budget/process-budget.js';
import type { KoaContext } from '../request-context.js';
import type { ClientGone, Overloaded, PayloadTooLarge, RequestInvalid } from '../problem/failure.js';
import { DigestCheck } from './declared-digests.js';
import { GrowingBuffer } from './growing-buffer.js';

type Failed = PayloadTooLarge | ClientGone | Overloaded | RequestInvalid;
type Bytes = E.Either<Failed, Buffer>;

const tooLarge = (limit: number): Bytes => E.left({ _tag: 'PayloadTooLarge', limit });
const clientGone: Bytes = E.left({ _tag: 'ClientGone' });
const overloaded: Bytes = E.left({ _tag: 'Overloaded' });

/** Sends "100 Continue" to a client that waits for it with its body. */
export const sendContinue = (request: IncomingMessage, response: ServerResponse): void => {
  if (request.headers.expect !== undefined && !response.headersSent) response.writeContinue();
};

const checked = ({ headers }: IncomingMessage, bytes: Buffer): Bytes => {
  const check = new DigestCheck(headers);
  check.add(bytes);
  const fault = check.fault();
  return fault === undefined ? E.right(bytes) : E.left(fault);
};

// Listeners, not `for await`: a body mostly comes in one piece, and this is on the path of every write.
const collect = ({ req, state }: KoaContext, limit: number): Promise<Bytes> =>
  new Promise((resolve) => {
    const bytes = new GrowingBuffer(limit);
    let isAcquired = false;

    const settle = (result: Bytes): void => {
      req.off('data', take).off('end', finish).off('close', leave).off('error', leave);
      resolve(result);
    };
    const acquire = async (): Promise<void> => {
      isAcquired = true;
      req.pause();
      if (await state.acquire('bytes', limit)) req.resume();
      else settle(overloaded);
    };
    const take = (chunk: Buffer): void => {
      if (!bytes.add(chunk)) {
        req.pause();
        settle(tooLarge(limit));
      } else if (!isAcquired && bytes.length > UNCOUNTED_BYTES) void acquire();
    };
    const finish = (): void => settle(checked(req, bytes.filled()));
    const leave = (): void => settle(clientGone);
    req.on('data', take).on('end', finish).on('close', leave).on('error', leave);
  });

/**
 * The whole body, of at most `limit` bytes, which fits the digests that its request declares. A longer one is left unread
 * as soon as that shows. It takes as much memory as it has bytes, however small the pieces are; a large body acquires
 * that from the process budget.
 */
export const bodyBytes = (ctx: KoaContext, limit: number): Promise<E.Either<Failed, Buffer>> => {
  if (Number(ctx.req.headers['content-length'] ?? 0) > limit) return Promise.resolve(tooLarge(limit));
  sendContinue(ctx.req, ctx.res);
  return collect(ctx, limit);
};
