import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Connection } from '../budget/connection.js';
import type { KoaContext, RequestState } from '../request-context.js';
import { type HttpResponse, JSON_TYPE } from './http-response.js';
import { linger, mustClose } from './unread-body.js';

const NOTHING_LOADED = "default-src 'none'; frame-ancestors 'none'";

/** On every response: never guessed at, framed, referred from or kept by a shared cache. */
const FIXED = [
  ...['X-Content-Type-Options', 'nosniff', 'X-Frame-Options', 'DENY', 'Referrer-Policy', 'no-referrer'],
  ...['Cross-Origin-Resource-Policy', 'same-origin', 'Cache-Control', 'private, no-cache'],
];

const headersOf = (response: HttpResponse, requestId: string): Array<string> => {
  const headers = [...FIXED, 'X-Request-Id', requestId];
  headers.push('Content-Security-Policy', response.contentSecurityPolicy ?? NOTHING_LOADED);
  if (response.headers !== undefined) headers.push(...response.headers);
  const { body, contentType } = response;
  if (body !== undefined || contentType !== undefined) headers.push('Content-Type', contentType ?? JSON_TYPE);
  if (body !== undefined && !(body instanceof Readable))
    headers.push('Content-Length', String(Buffer.byteLength(body)));
  return headers;
};

const sendWhole = (
  { req, res }: KoaContext,
  headers: Array<string>,
  { status, closes = false }: HttpResponse,
  body: string | Buffer | undefined,
): void => {
  const hasMore = mustClose(req);
  if (hasMore || closes) headers.push('Connection', 'close');
  const content = req.method === 'HEAD' ? undefined : body;
  res.writeHead(status, headers);
  if (!hasMore) {
    res.end(content);
    return;
  }
  if (content !== undefined) res.write(content);
  linger(req, () => res.end());
};

/** An error of a stream that nobody reads is no failure. */
const discard = (body: Readable): void => {
  body.on('error', () => undefined).destroy();
};

/**
 * Bytes that are written to the socket at once. We see progress only when the system has taken all of them: in larger
 * pieces, a slow client would look like one that has stopped.
 */
const PIECE = 64 * 1024;

/** Passes a stream on in pieces, each part of it in a time slice of its own. */
const inTimeSlices = ({ timeSlice }: RequestState): Transform =>
  new Transform({
    transform(part: Buffer, _encoding, done) {
      const pass = (): void => {
        for (let start = 0; start < part.length; start += PIECE) this.push(part.subarray(start, start + PIECE));
        done();
      };
      timeSlice(part.length).then(pass, done);
    },
  });

const sendStream = async (
  { req, res, state }: KoaContext,
  headers: Array<string>,
  status: number,
  body: Readable,
  connection: Connection,
  timeoutMs: number,
): Promise<void> => {
  res.writeHead(status, headers);
  if (req.method === 'HEAD') {
    discard(body);
    res.end();
    return;
  }
  const deadline = setTimeout(() => connection.cut('an answer was not read in time'), timeoutMs).unref();
  // without chunks, a regular end of the connection would make the part look like the whole
  body.once('error', () => connection.breakOff());
  try {
    await pipeline(body, inTimeSlices(state), res);
  } finally {
    clearTimeout(deadline);
  }
};

/**
 * Writes a response and resolves when that is done. An ordinary one goes out by one `writeHead` and one `end`, past
 * Koa's own way of responding, which costs 10 µs more. Rejects when a stream fails, its reader goes, or it is not read
 * within `timeoutMs`: the connection is cut then, because what was sent must not look complete.
 */
export const send = async (
  ctx: KoaContext,
  response: HttpResponse,
  connection: Connection,
  timeoutMs: number,
): Promise<void> => {
  const { status, body } = response;
  ctx.respond = false;
  if (ctx.res.destroyed || ctx.res.headersSent) {
    if (body instanceof Readable) discard(body);
    return;
  }
  const headers = headersOf(response, ctx.state.requestId);
  if (body instanceof Readable) await sendStream(ctx, headers, status, body, connection, timeoutMs);
  else if (body !== undefined && body.length > PIECE && !mustClose(ctx.req))
    await sendStream(ctx, headers, status, Readable.from(body), connection, timeoutMs);
  else sendWhole(ctx, headers, response, body);
};
