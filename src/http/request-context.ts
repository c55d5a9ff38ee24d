import type { ParameterizedContext } from 'koa';
import type { either as E } from 'fp-ts';
import type { Caller } from './authentication/roles.js';
import type { ProcessBudget } from './budget/process-budget.js';
import type { Granted } from './link/links.js';
import type { QueryValues } from './parameters/query.js';
import type { UnknownNames } from './parameters/unknown.js';
import type { ErrorCode } from './problem/error-codes.js';
import type { Failure } from './problem/failure.js';
import type { Fault } from './problem/problem.js';
import type { RecordedRequest } from './recorded-request.js';
import type { HttpResponse } from './response/http-response.js';

/** What comes of a request: there already, where nothing has to be waited for. */
export type Handling = E.Either<Failure, HttpResponse> | Promise<E.Either<Failure, HttpResponse>>;

/** What Koa's context carries of a request from one middleware to the next. */
export type RequestState = {
  readonly requestId: string;
  /**
   * Acquires part of the process budget until the request is over. False when the wait timed out, or the client has gone.
   */
  acquire(resource: keyof ProcessBudget, amount?: number): Promise<boolean>;
  /** As `acquire` of one, but never waits for what others hold. */
  tryAcquire(resource: keyof ProcessBudget): Promise<boolean>;
  /** To be awaited before each piece of long work (see `TimeSlices`). False when the client has gone. */
  timeSlice(bytes?: number): Promise<boolean>;
  /** Name of the operation; its route sets it. */
  operation?: string | undefined;
  /** The code of the error where there is no such record; its route sets it. */
  absent?: ErrorCode | undefined;
  /** What the path says is the id of a record; its route sets it. */
  record?: string | undefined;
  /** What its answer is recorded with, where it is; its route sets it. */
  recorded?: RecordedRequest | undefined;
  caller?: Caller | undefined;
  /** Payload of the verified token, as koa-jwt leaves it. */
  user?: unknown;
  /** Set once, by the route, before anything is awaited. */
  handling?: Handling | undefined;
};

export type KoaContext = ParameterizedContext<RequestState>;

/** The path of a request's address; empty for one like `http://`, which has none, though Koa's types leave that out. */
export const pathOf = ({ path }: { readonly path: string | null }): string => path ?? '';

/** One request as a handler sees it. */
export type RequestContext = {
  /** For the parts that read headers and body. */
  readonly ctx: KoaContext;
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Of the query, those parameters that its operation knows. */
  readonly query: QueryValues;
  /** Why the query cannot be read; undefined where it can. */
  readonly unreadable?: ReadonlyArray<Fault>;
  /** What it has that the operation does not; undefined where there is nothing to refuse. */
  readonly unknown?: UnknownNames | undefined;
};

/** A request whose sender has proven who it is and that it may do this. */
export type AuthorizedContext = RequestContext & { readonly caller: Caller };

/** A request by a link: what that gives, and who made it. */
export type LinkedContext = AuthorizedContext & { readonly granted: Granted };

export const isHead = ({ ctx }: RequestContext): boolean => ctx.req.method === 'HEAD';
