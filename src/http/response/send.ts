import type { ServerResponse } from 'node:http';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Cancel, Clock } from '../../event-sourcing/clock.js';
import type { Connection } from '../budget/connection.js';
import type { KoaContext, RequestState } from '../request-context.js';
import { ReaderGone } from '../problem/log-fields.js';
import { fixedHeaders } from './fixed-headers.js';
import { type HttpResponse, JSON_TYPE } from './http-response.js';
import { linger, mustClose } from './unread-body.js';

/** How long a client may take to read a response, ms, and by which clock. */
type ReadLimit = { readonly clock: Clock; readonly timeoutMs: number };

const KEPT_BY_NOBODY = 'no-store';

const headersOf = (response: HttpResponse, requestId: string): Array<string> => {
  const { headers: own = [], body, contentType, contentSecurityPolicy, crossOriginResourcePolicy, live } = response;
  const { cacheControl = live === undefined ? undefined : KEPT_BY_NOBODY } = response;
  const differing = { contentSecurityPolicy, cacheControl, crossOriginResourcePolicy };
  const headers = [...fixedHeaders(requestId, differing), ...own];
  if (body !== undefined || contentType !== undefined) headers.push('Content-Type', contentType ?? JSON_TYPE);
  return headers;
};

const sendWhole = (
  clock: Clock,
  { req, res }: KoaContext,
  headers: Array<string>,
  { status, closes = false }: HttpResponse,
  body: string | Buffer | undefined,
): void => {
  const bytes = body === undefined ? 0 : Buffer.byteLength(body);
  if (body !== undefined) headers.push('Content-Length', String(bytes));
  const hasMore = mustClose(req);
  if (hasMore || closes) headers.push('Connection', 'close');
  const content = req.method === 'HEAD' ? undefined : body;
  res.writeHead(status, headers);
  if (!hasMore) {
    // ASCII, as most of it is, is written faster as Latin-1
    if (content === undefined) res.end();
    else res.end(content, bytes === content.length ? 'latin1' : 'utf8');
    return;
  }
  if (content !== undefined) res.write(content);
  linger(clock, req, () => res.end());
};

/** An error of a stream that nobody reads is no failure. */
export const discard = (body: Readable): void => {
  body.on('error', () => undefined).destroy();
};

/**
 * Bytes that are written to the socket at once. We see progress only when the system has taken all of them: in larger
 * pieces, a slow client would look like one that has stopped.
 */
const PIECE = 64 * 1024;

/** Passes a stream on in pieces, each part of it in a time slice of its own. */
const inTimeSlices = (state: RequestState): Transform =>
  new Transform({
    transform(part: Buffer, _encoding, done) {
      const pass = (): void => {
        for (let start = 0; start < part.length; start += PIECE) this.push(part.subarray(start, start + PIECE));
        done();
      };
      state.timeSlice(part.length).then(pass, done);
    },
  });

const cutLater = (connection: Connection, { clock, timeoutMs }: ReadLimit): Cancel =>
  clock.after(timeoutMs, () => connection.cut('an answer was not read in time'), { isBackground: true });

const sendStream = async (
  { req, res, state }: KoaContext,
  headers: Array<string>,
  status: number,
  body: Readable,
  connection: Connection,
  readLimit: ReadLimit,
): Promise<void> => {
  res.writeHead(status, headers);
  if (req.method === 'HEAD') {
    discard(body);
    res.end();
    return;
  }
  const cancel = cutLater(connection, readLimit);
  // without chunks, a regular end of the connection would make the part look like the whole
  body.once('error', () => connection.breakOff());
  try {
    await pipeline(body, inTimeSlices(state), res);
  } finally {
    cancel();
  }
};

/** Resolves with the event, rejects as a pipeline does when the reader goes before it. */
const untilEvent = (res: ServerResponse, event: 'drain' | 'finish'): Promise<void> =>
  new Promise((resolve, reject) => {
    const settle = (): void => {
      res.off(event, settle).off('close', settle);
      if (res.writableFinished || !res.destroyed) resolve();
      else reject(new ReaderGone());
    };
    res.on(event, settle).on('close', settle);
  });

/** Writes bytes in pieces, each in a time slice of its own, no faster than their reader takes them. */
const writeInPieces = async ({ res, state }: KoaContext, bytes: Buffer): Promise<void> => {
  for (let start = 0; start < bytes.length; start += PIECE) {
    await state.timeSlice(Math.min(PIECE, bytes.length - start));
    if (res.destroyed) throw new ReaderGone();
    if (!res.write(bytes.subarray(start, start + PIECE))) await untilEvent(res, 'drain');
  }
};

const endWhole = async ({ res }: KoaContext): Promise<void> => {
  if (res.destroyed) throw new ReaderGone();
  const finished = untilEvent(res, 'finish');
  res.end();
  await finished;
};

/** Writes a large body in pieces, each in a time slice of its own, no faster than its reader takes them. */
const sendInPieces = async (
  ctx: KoaContext,
  headers: Array<string>,
  status: number,
  body: Buffer,
  connection: Connection,
  readLimit: ReadLimit,
): Promise<void> => {
  ctx.res.writeHead(status, headers);
  const cancel = cutLater(connection, readLimit);
  try {
    await writeInPieces(ctx, body);
    await endWhole(ctx);
  } finally {
    cancel();
  }
};

/** Writes parts as they come. Without streams between them and the response: those would take 20 KiB for each watcher. */
const sendLive = async (
  ctx: KoaContext,
  headers: Array<string>,
  status: number,
  parts: AsyncGenerator<Buffer, void, undefined>,
  connection: Connection,
): Promise<void> => {
  ctx.res.writeHead(status, headers);
  try {
    for await (const part of parts) await writeInPieces(ctx, part);
  } catch (error) {
    // without chunks, a regular end of the connection would make the part look like the whole
    connection.breakOff();
    throw error;
  }
  await endWhole(ctx);
};

/**
 * Writes a response. An ordinary one goes out by one `writeHead` and one `end`, past Koa's own way of responding, which
 * costs 10 µs more; undefined, as that is done at once. Of another one, a promise that resolves when it is sent, and
 * rejects when its stream fails, its reader goes, or it is not read in time (unless it is live): the connection is cut
 * because what was sent must not look complete.
 */
export const send = (
  ctx: KoaContext,
  response: HttpResponse,
  connection: Connection,
  readLimit: ReadLimit,
): Promise<void> | undefined => {
  const { status, body, live } = response;
  if (ctx.res.destroyed || ctx.res.headersSent) {
    if (body instanceof Readable) discard(body);
    return undefined;
  }
  const headers = headersOf(response, ctx.state.requestId);
  if (live !== undefined) {
    if (ctx.req.method !== 'HEAD') return sendLive(ctx, headers, status, live, connection);
    ctx.res.writeHead(status, headers).end();
    return undefined;
  }
  if (body instanceof Readable) return sendStream(ctx, headers, status, body, connection, readLimit);
  if (body === undefined || body.length <= PIECE || mustClose(ctx.req)) {
    sendWhole(readLimit.clock, ctx, headers, response, body);
    return undefined;
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  headers.push('Content-Length', String(bytes.length));
  if (ctx.req.method !== 'HEAD') return sendInPieces(ctx, headers, status, bytes, connection, readLimit);
  ctx.res.writeHead(status, headers).end();
  return undefined;
};
