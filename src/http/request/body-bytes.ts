import type { IncomingMessage, ServerResponse } from 'node:http';
import { either as E, type taskEither as TE } from 'fp-ts';
import type { ClientGone, PayloadTooLarge } from '../problem/failure.js';

type Bytes = E.Either<PayloadTooLarge | ClientGone, Buffer>;

const tooLarge = (limit: number): Bytes => E.left({ _tag: 'PayloadTooLarge', limit });

/** Tells a client that waits with `Expect: 100-continue` to send its body. */
export const letBodyCome = (request: IncomingMessage, response: ServerResponse): void => {
  if (request.headers.expect !== undefined && !response.headersSent) response.writeContinue();
};

// Listeners, not `for await`: a body mostly comes in one piece, and this is on the path of every write.
const collect = (request: IncomingMessage, limit: number): Promise<Bytes> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = [];
    let size = 0;
    const settle = (result: Bytes): void => {
      request.off('data', take).off('end', finish).off('close', leave).off('error', leave);
      resolve(result);
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= limit) return;
      request.pause();
      settle(tooLarge(limit));
    };
    const finish = (): void => settle(E.right(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    const leave = (): void => settle(E.left({ _tag: 'ClientGone' }));
    request.on('data', take).on('end', finish).on('close', leave).on('error', leave);
  });

/** The whole body, at most `limit` bytes of it; a longer one is left unread where that shows. */
export const bodyBytes =
  (
    request: IncomingMessage,
    response: ServerResponse,
    limit: number,
  ): TE.TaskEither<PayloadTooLarge | ClientGone, Buffer> =>
  () => {
    if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.resolve(tooLarge(limit));
    letBodyCome(request, response);
    return collect(request, limit);
  };
