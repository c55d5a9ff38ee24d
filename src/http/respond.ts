import { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import type { Runtime } from '../event-sourcing/runtime.js';
import { isUuid } from '../event-sourcing/uuid.js';
import { PageNotAdmitted } from '../read/admit-page.js';
import { type Connection, connectionOf } from './budget/connection.js';
import { type ProcessBudget, UNCOUNTED_BYTES } from './budget/process-budget.js';
import { deadlineOf } from '../event-sourcing/answer-deadline.js';
import type { Failure } from './problem/failure.js';
import { errorFields, failureFields, isLostReader } from './problem/log-fields.js';
import { problemOf } from './problem/problem-of.js';
import { problemResponse } from './problem/problem-response.js';
import { readOf, type RecordRead } from './recorded-read.js';
import { type Handling, type KoaContext, pathOf } from './request-context.js';
import { requestIdOf } from './request/request-id.js';
import { ServedRequest } from './request-state.js';
import { withAbsoluteAddresses } from './response/absolute-addresses.js';
import type { HttpResponse } from './response/http-response.js';
import { discard, send } from './response/send.js';
import type { RouteRequest } from './routing/make-routing.js';
import { routeOf } from './routing/route-of-request.js';
import { unrouted } from './routing/unrouted.js';

/** What the HTTP layer needs of a log; pino satisfies it. No payloads, tokens, paths, queries or bodies ever go in. */
type Logger = {
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
};

/**
 * One request that has been responded to, for whoever counts them; `seconds` up to the last byte of a stream, and up to the
 * first of a live one.
 */
type Observation = {
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
};

export type RespondDeps = {
  readonly runtime: Runtime;
  readonly log: Logger;
  readonly observe?: ((observation: Observation) => void) | undefined;
  /** Undefined: reads are not recorded. */
  readonly recordRead?: RecordRead | undefined;
  readonly budget: ProcessBudget;
  /** Longest time, ms, in which a client has to read a response. */
  readonly responseTimeoutMs: number;
  /** Where the public reaches the service, without a slash at its end; undefined: `Link` and `Location` stay relative. */
  readonly publicUrl?: string | undefined;
};

/**
 * The line of a request in the log. It names the route, because a path may have the identifier of an owner; the path of a
 * request without a route is not there for the same reason.
 */
type Line = {
  /** Also the `$correlationId` of the events that the request appended. */
  readonly requestId: string;
  readonly method: string;
  readonly route: string | undefined;
  readonly operation: string;
  readonly status: number;
  readonly seconds: number;
  /** Address of the other end of the connection: of a proxy, where there is one. */
  readonly client: string;
  /** The id of the record that the path names. */
  record?: string;
  /** Why there is no success. */
  failure?: object;
  /** Why the connection was cut, or could not take the response. */
  cut?: unknown;
  actor?: string;
  /** Of the token of the actor: who issued it, and its id. */
  iss?: string;
  jti?: string;
};

/** To a preflight; @koa/cors has set the headers. */
const preflightResponse: HttpResponse = { status: 204 };

const handlingOf = (ctx: KoaContext): Handling =>
  ctx.state.handling ?? (ctx.status === 204 ? E.right(preflightResponse) : unrouted(ctx));

/** Bytes that a response acquires, because they are held until its reader has taken all of them. 0: none. */
const countedBytes = ({ body, isAcquired = false }: HttpResponse): number =>
  isAcquired || body === undefined || body instanceof Readable || body.length <= UNCOUNTED_BYTES
    ? 0
    : Buffer.byteLength(body);

/** A client that has gone acquires nothing either, but that is no overload. */
const overloadOf = (failure: Failure, connection: Connection): Failure => {
  const isOverload = failure._tag === 'Overloaded' || failure instanceof PageNotAdmitted;
  return isOverload ? { _tag: connection.isGone() ? 'ClientGone' : 'Overloaded' } : failure;
};

/**
 * Responds to a request: gives it its id, has it routed to its handler, makes a response of the outcome, sends it, and
 * writes one line to the log, without path, query, body or token. A client that has gone is no failure of ours. The promise
 * resolves when no more is done for the request, and never rejects.
 */
export const makeRespond = (
  { runtime, log, observe, recordRead, budget, responseTimeoutMs, publicUrl }: RespondDeps,
  route: RouteRequest,
): ((ctx: KoaContext) => Promise<void>) => {
  const { clock, random } = runtime;
  const readLimit = { clock, timeoutMs: responseTimeoutMs };
  const secondsSince = (began: number): number => (clock.monotonic() - began) / 1000;

  const record = (
    ctx: KoaContext,
    state: ServedRequest,
    status: number,
    waited: number | undefined,
    failure?: Failure,
    cut?: unknown,
  ): void => {
    const { requestId, operation = 'none', record: id, caller } = state;
    const { method = '' } = ctx.req;
    const seconds = secondsSince(state.began);
    observe?.({ operation, method, status, seconds: waited ?? seconds });
    const line: Line = {
      requestId,
      method,
      route: routeOf(ctx.req),
      operation,
      status,
      seconds: Math.round(seconds * 1e6) / 1e6,
      client: connectionOf(ctx.req.socket).address,
    };
    // anything else in its place names no record, and may be whatever a client has put there
    if (id !== undefined && isUuid(id)) line.record = id;
    if (failure !== undefined) line.failure = failureFields(failure);
    if (cut !== undefined) line.cut = cut;
    if (caller !== undefined) line.actor = caller.subject;
    if (caller?.token?.iss !== undefined) line.iss = caller.token.iss;
    if (caller?.token?.jti !== undefined) line.jti = caller.token.jti;
    if (status >= 500) log.error(line, 'request failed');
    else if (failure?._tag === 'Unauthenticated') log.warn(line, 'authentication failed');
    else log.info(line, 'request');
  };

  /** Undefined where nothing is recorded, or nobody waits for it; else whether the read is in the record. */
  const recording = (ctx: KoaContext, began: number, response: HttpResponse): Promise<boolean> | undefined => {
    const read = recordRead === undefined ? undefined : readOf(clock, ctx, response);
    return read && recordRead?.(read, deadlineOf(began));
  };

  return async (ctx) => {
    const { req } = ctx;
    const connection = connectionOf(req.socket);
    const requestId = requestIdOf(random, req.headers['x-request-id']);
    const state = new ServedRequest(requestId, clock.monotonic(), connection, budget);
    ctx.state = state;
    let outcome: E.Either<Failure, HttpResponse>;
    try {
      const routing = route(ctx);
      // mostly the request has come to its handler by now
      if (state.handling === undefined) await routing;
      const handling = handlingOf(ctx);
      outcome = handling instanceof Promise ? await handling : handling;
      const bytes = E.isRight(outcome) ? countedBytes(outcome.right) : 0;
      if (bytes > 0 && !(await state.acquire('bytes', bytes))) outcome = E.left({ _tag: 'Overloaded' });
      const recorded = E.isRight(outcome) ? recording(ctx, state.began, outcome.right) : undefined;
      if (recorded !== undefined && E.isRight(outcome) && !(await recorded)) {
        if (outcome.right.body instanceof Readable) discard(outcome.right.body);
        outcome = E.left({ _tag: 'ReadNotRecorded' });
      }
    } catch (cause) {
      outcome = E.left({ _tag: 'Unexpected', cause });
    }
    if (E.isLeft(outcome)) outcome = E.left(overloadOf(outcome.left, connection));
    const relative = E.isLeft(outcome) ? problemResponse(ctx, problemOf(outcome.left, state.absent)) : outcome.right;
    const response = publicUrl === undefined ? relative : withAbsoluteAddresses(publicUrl, pathOf(ctx), relative);
    const failed = E.isLeft(outcome) ? outcome.left : undefined;
    const waited = response.live !== undefined ? secondsSince(state.began) : undefined;
    try {
      const sending = send(ctx, response, connection, readLimit);
      if (sending !== undefined) await sending;
      record(ctx, state, response.status, waited, failed, connection.cutFor);
    } catch (error) {
      const status = isLostReader(error) ? response.status : 500;
      record(ctx, state, status, waited, failed, connection.cutFor ?? errorFields(error));
    }
  };
};
