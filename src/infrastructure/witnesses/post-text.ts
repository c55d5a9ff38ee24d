import type { PostText } from '../../sealing/ask-witness.js';

/** How long an answer is waited for, all of it, ms. */
const LONGEST_WAIT = 5_000;

/** Bytes of an answer: more than the cosignatures of a hundred keys. */
const LONGEST_ANSWER = 64 * 1024;

const shortText = async ({ body }: Response): Promise<string> => {
  if (body === null) return '';
  const chunks: Array<Uint8Array> = [];
  let length = 0;
  // reason: a body gives bytes
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > LONGEST_ANSWER) throw new Error('the answer is longer than 64 KiB'); // leaving the loop ends the answer
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

/** Posts a text over HTTP, and follows no redirect. `signal` ends what is under way. */
export const makePostText =
  (signal: AbortSignal, waitMs: number = LONGEST_WAIT): PostText =>
  async (url, body) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain; charset=utf-8' },
      body,
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(waitMs)]),
    });
    return {
      status: response.status,
      contentType: response.headers.get('content-type'),
      body: await shortText(response),
    };
  };
