import { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import type { Middleware } from 'koa';
import { PageRefused } from '../read/admit-page.js';
import { type Connection, connectionOf } from './budget/connection.js';
import { loopTurn } from './budget/loop-turns.js';
import { FREE_BYTES, type ProcessBudget } from './budget/process-budget.js';
import type { HttpContext, RequestState } from './exchange.js';
import type { Logger } from './logger.js';
import type { Failure } from './problem/failure.js';
import { errorFields, failureFields, isLostReader } from './problem/log-fields.js';
import { problemOf } from './problem/problem-of.js';
import { requestIdOf } from './request/request-id.js';
import { type Answer, problemAnswer } from './response/answer.js';
import { send } from './response/send.js';
import { unrouted } from './routing/unrouted.js';

/** One answered request, for whoever counts them; `seconds` up to the last byte of a stream. */
type Observation = {
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
};

export type AnsweringDeps = {
  readonly log: Logger;
  readonly observe?: ((observation: Observation) => void) | undefined;
  readonly budget: ProcessBudget;
  /** Longest time, ms, that an answer may take to be read. */
  readonly longestAnswer: number;
};

const MAX_LOGGED_PATH = 256;

/** What a preflight is answered with: @koa/cors has set the headers. */
const preflight: Answer = { status: 204 };

/** What a request may take of the budget, in the name of its caller, or of its address as long as it has none. */
const grants = (
  budget: ProcessBudget,
  connection: Connection,
  ctx: { readonly state: RequestState },
): Pick<RequestState, 'take' | 'takeFree' | 'turn'> => {
  const caller = (): string => ctx.state.caller?.subject ?? connection.address;
  const turn: RequestState['turn'] = async (bytes) => {
    await loopTurn(bytes);
    return !connection.isGone();
  };
  return {
    turn,
    take: async (resource, amount) => {
      const isGranted = await budget[resource].take(connection, caller(), amount);
      // bytes are only room for what comes or goes bit by bit; of the others each place stands for long work
      return resource === 'bytes' ? isGranted && !connection.isGone() : isGranted && turn();
    },
    takeFree: async (resource) => budget[resource].takeFree(connection, caller()) && turn(),
  };
};

const outcomeOf = async (ctx: HttpContext, next: () => Promise<unknown>): Promise<E.Either<Failure, Answer>> => {
  try {
    await next();
  } catch (cause) {
    return E.left({ _tag: 'Unexpected', cause });
  }
  if (ctx.state.outcome !== undefined) return ctx.state.outcome;
  return ctx.status === 204 ? E.right(preflight) : unrouted(ctx);
};

/**
 * The answer, or the failure that it is too much to hold beside those of others: its reader may leave all of its bytes to
 * us for a while.
 */
const affordable = async ({ state }: HttpContext, answer: Answer): Promise<E.Either<Failure, Answer>> => {
  const { body } = answer;
  if (body === undefined || body instanceof Readable || body.length <= FREE_BYTES) return E.right(answer);
  return (await state.take('bytes', Buffer.byteLength(body))) ? E.right(answer) : E.left({ _tag: 'Overloaded' });
};

/** A client that has gone was not refused for want of anything: whoever looks for overload must not find it. */
const withOverload = (outcome: E.Either<Failure, Answer>, connection: Connection): E.Either<Failure, Answer> => {
  if (E.isRight(outcome)) return outcome;
  const isForWant = outcome.left._tag === 'Overloaded' || outcome.left instanceof PageRefused;
  return isForWant ? E.left({ _tag: connection.isGone() ? 'ClientGone' : 'Overloaded' }) : outcome;
};

/**
 * The outermost middleware: gives the request its id, turns what came of it into an answer, sends that, and leaves one
 * line in the log, without query, body or token. A client that has gone is no failure of ours.
 */
export const answering = ({ log, observe, budget, longestAnswer }: AnsweringDeps): Middleware<RequestState> => {
  const record = (ctx: HttpContext, status: number, started: number, more: object): void => {
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
      ...grants(budget, connection, ctx),
    };
    const answered = await outcomeOf(ctx, next);
    const afforded = E.isLeft(answered) ? answered : await affordable(ctx, answered.right);
    const outcome = withOverload(afforded, connection);
    const failure = E.isLeft(outcome) ? failureFields(outcome.left) : undefined;
    const answer = E.isLeft(outcome) ? problemAnswer(problemOf(outcome.left)) : outcome.right;
    const more = failure === undefined ? {} : { failure };
    try {
      await send(ctx, answer, connection, longestAnswer);
      record(ctx, answer.status, started, connection.cutFor === undefined ? more : { ...more, cut: connection.cutFor });
    } catch (error) {
      record(ctx, isLostReader(error) ? answer.status : 500, started, {
        ...more,
        cut: connection.cutFor ?? errorFields(error),
      });
    }
  };
};
