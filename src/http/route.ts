import type { either as E } from 'fp-ts';
import type { Authenticate } from './authentication/authenticate.js';
import type { Roles } from './authentication/roles.js';
import type { Opened } from './link/links.js';
import type { AuthorizedContext, LinkedContext, RequestContext } from './request-context.js';
import type { OperationDescription } from './openapi/operation-description.js';
import type { ErrorCode } from './problem/error-codes.js';
import type { Failure, LinkNotValid } from './problem/failure.js';
import type { HttpResponse } from './response/http-response.js';

export type Handler<Request> = (request: Request) => Promise<E.Either<Failure, HttpResponse>>;

/** One row of the route table, from which the router, `Allow`, roles and the API description derive. */
export type Route = {
  /** Stable name of the operation, for the API description, log and metrics. */
  readonly operation: string;
  readonly description: OperationDescription;
  /** HEAD comes with every GET. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /**
   * From the root, parameters as `:name`; a trailing slash is accepted too. A last one as `*name` is the rest of the path,
   * with its slashes.
   */
  readonly path: string;
  /** The code of the error where there is no such record. Default: `entity_not_found`. */
  readonly absent?: ErrorCode;
} & Access;

/** Who may use it, and what it does. */
type Access = TokenRequired | TokenOptional | LinkRequired | Public;

/** Reads of history, of earlier states and of files, and exports, are recorded; what users look at all day is not. */
export type Recorded = {
  /** `past`: where an earlier state is asked for; `preview`: where a change is not made, but its preview is shown. */
  readonly when: 'always' | 'past' | 'preview';
  /** The kind of the one record that it is of; left out where it is of many. */
  readonly entityType?: string;
  /** How it is answered, where that is not said by the type of the answer: a file has that of its content. */
  readonly form?: 'file';
};

/** Which reads of one record of a kind are recorded, for the routes of that kind. */
export const recordedReadsOf = (entityType: string) => {
  const always: Recorded = { when: 'always', entityType };
  const past: Recorded = { when: 'past', entityType };
  const preview: Recorded = { when: 'preview', entityType };
  return { always, past, preview };
};

export type TokenRequired = {
  readonly access: 'token';
  /** `any`: of every caller, whatever its roles are, also of one that has none. */
  readonly roles: Roles | 'any';
  /** Who may ask for an earlier state (`?revision=` or `?at=`), where other roles are needed than `roles`. */
  readonly past?: Roles;
  /** Which of its answers go into the record of reads. Default: none. */
  readonly recorded?: Recorded;
  /** How its callers are identified where that differs from all other routes. */
  readonly authenticate?: (otherwise: Authenticate) => Authenticate;
  readonly handle: Handler<AuthorizedContext>;
};

/** Anybody without a token; a token that is sent must be good and have one of the roles. */
export type TokenOptional = {
  readonly access: 'optional token';
  readonly roles: Roles;
  readonly handle: Handler<RequestContext>;
};

/** Whoever has a link to it, in the name of who made that: a token is not even looked at. */
export type LinkRequired = {
  readonly access: 'link';
  /** What the ticket gives that is the `ticket` of its path. */
  readonly open: (ticket: string) => E.Either<LinkNotValid, Opened>;
  /** As what each of its answers goes into the record of reads. */
  readonly recorded: Omit<Recorded, 'when'>;
  readonly handle: Handler<LinkedContext>;
};

/** Anybody; a token is not even looked at. */
type Public = {
  readonly access: 'public';
  /** Monitoring needs it in a flood too, so the rate limit does not count it; nor does its query matter. */
  readonly isProbe?: true;
  /** Leads to another row, which the description of the API has. */
  readonly isRedirect?: true;
  readonly handle: Handler<RequestContext>;
};

/** Whether it is for monitoring: such a route is never limited, and takes any query. */
export const isProbe = (route: Route): boolean => route.access === 'public' && route.isProbe === true;

/**
 * A row's beginning: an operation by its name in a table of descriptions, for callers whose token has one of `roles`;
 * `row` is what the rows of the table share.
 */
export const rowOf =
  <Name extends string>(descriptions: Readonly<Record<Name, OperationDescription>>, row: Pick<Route, 'absent'> = {}) =>
  (operation: Name, method: Route['method'], path: string, roles: Roles) =>
    ({ ...row, operation, description: descriptions[operation], method, path, access: 'token', roles }) as const;

/** An operation by its name in a table of descriptions. */
export const describedBy =
  <Name extends string>(descriptions: Readonly<Record<Name, OperationDescription>>) =>
  (operation: Name) => ({ operation, description: descriptions[operation] });
