import { withTimeLimit } from '../../event-sourcing/time-limit.js';
import type { PostText } from '../../sealing/ask-witness.js';
import type { Clock } from '../../event-sourcing/clock.js';

/** How long an answer is waited for, all of it, ms. */
const LONGEST_WAIT = 5_000;

/** Bytes of an answer: more than the cosignatures of a hundred keys, or a timestamp with its certificates. */
const LONGEST_ANSWER = 64 * 1024;

type Answer = { readonly status: number; readonly contentType: string | null; readonly body: Buffer };

const shortBody = async ({ body }: Response): Promise<Buffer> => {
  if (body === null) return Buffer.alloc(0);
  const chunks: Array<Uint8Array> = [];
  let length = 0;
  // reason: a body gives bytes
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > LONGEST_ANSWER) throw new Error('the answer is longer than 64 KiB'); // leaving the loop ends the answer
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

type Posting = {
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
};

/** Posts over HTTP, and follows no redirect. */
export const makePost =
  ({ clock, fetch, signal }: Posting, contentType: string, waitMs: number = LONGEST_WAIT) =>
  (url: string, body: string | Buffer<ArrayBuffer>): Promise<Answer> =>
    withTimeLimit(clock, waitMs, async (limit) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': contentType },
        body,
        redirect: 'error',
        signal: AbortSignal.any([signal, limit]),
      });
      const { status, headers } = response;
      return { status, contentType: headers.get('content-type'), body: await shortBody(response) };
    });

/** The same for texts. */
export const makePostText = (posting: Posting, waitMs?: number): PostText => {
  const post = makePost(posting, 'text/plain; charset=utf-8', waitMs);
  return async (url, text) => {
    const { body, ...answer } = await post(url, text);
    return { ...answer, body: body.toString() };
  };
};
