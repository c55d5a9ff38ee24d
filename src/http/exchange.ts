import type { ParameterizedContext } from 'koa';
import type { either as E } from 'fp-ts';
import type { Caller } from './authentication/roles.js';
import type { ProcessBudget } from './budget/process-budget.js';
import type { Failure } from './problem/failure.js';
import type { Answer } from './response/answer.js';

/** What is known of a request while it is worked on. */
export type RequestState = {
  readonly requestId: string;
  /**
   * Takes part of what the process has, until the request is over, and waits for its turn. False when that was not to be
   * had in time, or nobody waits for the answer any more.
   */
  readonly take: (resource: keyof ProcessBudget, amount?: number) => Promise<boolean>;
  /**
   * To be awaited before each piece of long work, `bytes` large (see `loopTurn`); false when nobody waits for the answer
   * any more.
   */
  readonly turn: (bytes?: number) => Promise<boolean>;
  /** As `take`, but does not wait for what others hold. */
  readonly takeFree: (resource: keyof ProcessBudget) => Promise<boolean>;
  /** Of the route that took it. */
  operation?: string;
  caller?: Caller;
  /** Payload of the verified token, as koa-jwt leaves it. */
  user?: unknown;
  /** Set once, by whoever ends the request. */
  outcome?: E.Either<Failure, Answer>;
};

export type HttpContext = ParameterizedContext<RequestState>;

/** One request as a handler sees it. */
export type Exchange = {
  /** Koa's own view: for the parts that read a body. */
  readonly ctx: HttpContext;
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly requestId: string;
};

/** A request whose sender has proven who it is and that it may do this. */
export type AuthorizedExchange = Exchange & { readonly caller: Caller };

/** HEAD is answered as GET, without its body. */
export const isHead = ({ ctx }: Exchange): boolean => ctx.req.method === 'HEAD';
