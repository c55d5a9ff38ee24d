import type { ParameterizedContext } from 'koa';
import type { either as E } from 'fp-ts';
import type { Caller } from './authentication/roles.js';
import type { ProcessBudget } from './budget/process-budget.js';
import type { Failure } from './problem/failure.js';
import type { HttpResponse } from './response/http-response.js';

/** What Koa's context carries of a request from one middleware to the next. */
export type RequestState = {
  readonly requestId: string;
  /**
   * Acquires part of the process budget until the request is over. False when the wait timed out, or the client has gone.
   */
  readonly acquire: (resource: keyof ProcessBudget, amount?: number) => Promise<boolean>;
  /** As `acquire` of one, but never waits for what others hold. */
  readonly tryAcquire: (resource: keyof ProcessBudget) => Promise<boolean>;
  /** To be awaited before each piece of long work (see `timeSlice`). False when the client has gone. */
  readonly timeSlice: (bytes?: number) => Promise<boolean>;
  /** Name of the operation; its route sets it. */
  operation?: string;
  caller?: Caller;
  /** Payload of the verified token, as koa-jwt leaves it. */
  user?: unknown;
  /** Set once, by the route. */
  outcome?: E.Either<Failure, HttpResponse>;
};

export type KoaContext = ParameterizedContext<RequestState>;

/** One request as a handler sees it. */
export type RequestContext = {
  /** For the parts that read headers and body. */
  readonly ctx: KoaContext;
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly searchParams: URLSearchParams;
};

/** A request whose sender has proven who it is and that it may do this. */
export type AuthorizedContext = RequestContext & { readonly caller: Caller };

export const isHead = ({ ctx }: RequestContext): boolean => ctx.req.method === 'HEAD';
