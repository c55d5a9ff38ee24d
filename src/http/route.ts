import type { taskEither as TE } from 'fp-ts';
import type { Roles } from './authentication/roles.js';
import type { AuthorizedExchange, Exchange } from './exchange.js';
import type { Failure } from './problem/failure.js';
import type { Answer } from './response/answer.js';

export type Handler<Request> = (exchange: Request) => TE.TaskEither<Failure, Answer>;

/** Who may, proven by a token. */
export type TokenAccess = {
  readonly _tag: 'Token';
  readonly roles: Roles;
  /** Who may ask for an earlier state (`?revision=` or `?at=`), where that is somebody else. */
  readonly past?: Roles;
};

/** Without a token anybody may; a token that is sent must be good and have one of the roles. */
export type OptionalTokenAccess = { readonly _tag: 'OptionalToken'; readonly roles: Roles };

export type PublicAccess = { readonly _tag: 'Public' };

type Operation = {
  /** Stable name of the operation, for the API description and metrics. */
  readonly operation: string;
  /** HEAD comes with every GET. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** From the root, parameters as `:name`; a trailing slash is accepted too. */
  readonly path: string;
};

/** One row of the route table, from which the router, `Allow`, roles and the API description derive. */
export type Route = Operation &
  (
    | { readonly access: TokenAccess; readonly handle: Handler<AuthorizedExchange> }
    | { readonly access: OptionalTokenAccess | PublicAccess; readonly handle: Handler<Exchange> }
  );
