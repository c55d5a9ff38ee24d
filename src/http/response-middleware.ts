import { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import type { Middleware } from 'koa';
import { PageNotAdmitted } from '../read/admit-page.js';
import { type Connection, connectionOf } from './budget/connection.js';
import { type ProcessBudget, UNCOUNTED_BYTES } from './budget/process-budget.js';
import { timeSlice } from './budget/time-slice.js';
import type { Failure } from './problem/failure.js';
import { errorFields, failureFields, isLostReader } from './problem/log-fields.js';
import { problemOf } from './problem/problem-of.js';
import type { KoaContext, RequestState } from './request-context.js';
import { requestIdOf } from './request/request-id.js';
import { type HttpResponse, problemResponse } from './response/http-response.js';
import { send } from './response/send.js';
import { unrouted } from './routing/unrouted.js';

/** What the HTTP layer needs of a log; pino satisfies it. No payloads, tokens, queries or bodies ever go in. */
type Logger = {
  readonly info: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
};

/** One request that has been responded to, for whoever counts them; `seconds` up to the last byte of a stream. */
type Observation = {
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
};

export type ResponseMiddlewareDeps = {
  readonly log: Logger;
  readonly observe?: ((observation: Observation) => void) | undefined;
  readonly budget: ProcessBudget;
  /** Longest time, ms, in which a client has to read a response. */
  readonly responseTimeoutMs: number;
};

const MAX_LOGGED_PATH = 256;

/** To a preflight; @koa/cors has set the headers. */
const preflightResponse: HttpResponse = { status: 204 };

/** Access to the budget in the name of the caller, or of the address as long as the caller is not known. */
const budgetAccess = (
  budget: ProcessBudget,
  connection: Connection,
  ctx: { readonly state: RequestState },
): Pick<RequestState, 'acquire' | 'tryAcquire' | 'timeSlice'> => {
  const caller = (): string => ctx.state.caller?.subject ?? connection.address;
  const ownTimeSlice: RequestState['timeSlice'] = async (bytes) => {
    await timeSlice(bytes);
    return !connection.isGone();
  };
  return {
    timeSlice: ownTimeSlice,
    acquire: async (resource, amount) => {
      const isAcquired = await budget[resource].acquire(connection, caller(), amount);
      // everything but bytes is acquired before long work
      return resource === 'bytes' ? isAcquired && !connection.isGone() : isAcquired && ownTimeSlice();
    },
    tryAcquire: async (resource) => budget[resource].tryAcquire(connection, caller()) && ownTimeSlice(),
  };
};

const outcomeOf = async (ctx: KoaContext, next: () => Promise<unknown>): Promise<E.Either<Failure, HttpResponse>> => {
  try {
    await next();
  } catch (cause) {
    return E.left({ _tag: 'Unexpected', cause });
  }
  if (ctx.state.outcome !== undefined) return ctx.state.outcome;
  return ctx.status === 204 ? E.right(preflightResponse) : unrouted(ctx);
};

/** Acquires the bytes of a large body, which is held until its reader has taken all of it. */
const withinBudget = async (
  { state }: KoaContext,
  response: HttpResponse,
): Promise<E.Either<Failure, HttpResponse>> => {
  const { body } = response;
  if (body === undefined || body instanceof Readable || body.length <= UNCOUNTED_BYTES) return E.right(response);
  return (await state.acquire('bytes', Buffer.byteLength(body))) ? E.right(response) : E.left({ _tag: 'Overloaded' });
};

/** A client that has gone acquires nothing either, but that is no overload. */
const overloadOf = (
  outcome: E.Either<Failure, HttpResponse>,
  connection: Connection,
): E.Either<Failure, HttpResponse> => {
  if (E.isRight(outcome)) return outcome;
  const isOverload = outcome.left._tag === 'Overloaded' || outcome.left instanceof PageNotAdmitted;
  return isOverload ? E.left({ _tag: connection.isGone() ? 'ClientGone' : 'Overloaded' }) : outcome;
};

/**
 * The outermost middleware: gives the request its id, makes a response of its outcome, sends it, and writes one line to
 * the log, without query, body or token. A client that has gone is no failure of ours.
 */
export const responseMiddleware = ({
  log,
  observe,
  budget,
  responseTimeoutMs,
}: ResponseMiddlewareDeps): Middleware<RequestState> => {
  const record = (ctx: KoaContext, status: number, started: number, more: object): void => {
    const { requestId, operation = 'none', caller } = ctx.state;
    const { method } = ctx;
    // reason: Koa has no path for an address like `http://`, which its types leave out
    const path = (ctx.path as string | null) ?? '';
    const seconds = (performance.now() - started) / 1000;
    observe?.({ operation, method, status, seconds });
    const fields = {
      requestId,
      method,
      path: path.slice(0, MAX_LOGGED_PATH),
      operation,
      status,
      seconds: Math.round(seconds * 1e6) / 1e6,
      ...more,
    };
    const whole = caller === undefined ? fields : { ...fields, actor: caller.subject };
    if (status >= 500) log.error(whole, 'request failed');
    else log.info(whole, 'request');
  };

  return async (ctx, next) => {
    const started = performance.now();
    const connection = connectionOf(ctx.req.socket);
    ctx.state = {
      requestId: requestIdOf(ctx.req.headers['x-request-id']),
      ...budgetAccess(budget, connection, ctx),
    };
    const handled = await outcomeOf(ctx, next);
    const granted = E.isLeft(handled) ? handled : await withinBudget(ctx, handled.right);
    const outcome = overloadOf(granted, connection);
    const response = E.isLeft(outcome) ? problemResponse(problemOf(outcome.left)) : outcome.right;
    const more = E.isLeft(outcome) ? { failure: failureFields(outcome.left) } : {};
    try {
      await send(ctx, response, connection, responseTimeoutMs);
      record(
        ctx,
        response.status,
        started,
        connection.cutFor === undefined ? more : { ...more, cut: connection.cutFor },
      );
    } catch (error) {
      record(ctx, isLostReader(error) ? response.status : 500, started, {
        ...more,
        cut: connection.cutFor ?? errorFields(error),
      });
    }
  };
};
