import { either as E } from 'fp-ts';
import type { OperationDescription } from '../openapi/operation-description.js';
import type { QueryValues } from '../parameters/query.js';
import { LINK } from '../paths.js';
import { type Failure, requestInvalid, type RequestInvalid } from '../problem/failure.js';
import type { AuthorizedContext } from '../request-context.js';
import { both } from '../request/both.js';
import { decodeRequest } from '../request/decode.js';
import { ok } from '../response/http-response.js';
import type { Handler, Recorded, Route, TokenRequired } from '../route.js';
import type { Granted, Links } from './links.js';
import { LinkParameters, LONGEST_SECONDS } from './operations.js';

/** A row for callers with a token, without what it does. */
type Begun = Pick<Route, 'operation' | 'description' | 'method' | 'path' | 'absent'> &
  Pick<TokenRequired, 'access' | 'roles' | 'past'>;

/** A read that its caller may hand on as a link; `Wanted` is what the query of the making says of it. */
export type Linked<Wanted> = {
  /** The kind of read, and the part of the path that leads to it. */
  readonly purpose: string;
  /** The row in which a link to it is made. */
  readonly making: Begun;
  /** Reads the query without what it says of the link itself. */
  readonly wanted: (query: QueryValues) => E.Either<RequestInvalid, Wanted>;
  /** What is handed on; a failure where there is nothing to read. */
  readonly grant: (request: AuthorizedContext, wanted: Wanted) => Promise<E.Either<Failure, Granted>>;
  /** The row in which the link is used. */
  readonly using: Pick<Route, 'operation'> & { readonly description: OperationDescription };
  readonly recorded: Recorded;
  /** The read. `params.id` and `query` of its request are what was granted. */
  readonly read: Handler<AuthorizedContext>;
};

const makeLink =
  <Wanted>(
    links: Links,
    { purpose, wanted: readWanted, grant }: Pick<Linked<Wanted>, 'purpose' | 'wanted' | 'grant'>,
  ): Handler<AuthorizedContext> =>
  async (request) => {
    const { seconds: _, ...query } = request.query;
    // a filter that the read does not know would let through more than its sender means
    const strays = request.unknown?.parameters ?? [];
    const known = strays.length === 0 ? E.right(undefined) : E.left(requestInvalid(...strays));
    const read = both(known, both(decodeRequest(LinkParameters)(request.query), readWanted(query)));
    if (E.isLeft(read)) return read;
    const [, [{ seconds = LONGEST_SECONDS }, wanted]] = read.right;
    const granted = await grant({ ...request, query }, wanted);
    if (E.isLeft(granted)) return granted;
    const link = links.make(purpose, request.caller, granted.right, seconds);
    if (E.isLeft(link)) return link;
    // whoever has it may read, so no cache keeps it
    return E.right({ ...ok(JSON.stringify(link.right)), cacheControl: 'no-store' });
  };

/** The rows in which links to a read are made and used; none where the service has no key for links. */
export const linkRows = <Wanted>(links: Links | undefined, linked: Linked<Wanted>): ReadonlyArray<Route> => {
  if (links === undefined) return [];
  const { purpose, making, using, recorded, read } = linked;
  const { absent } = making;
  return [
    { ...making, handle: makeLink(links, linked) },
    {
      ...(absent === undefined ? using : { ...using, absent }),
      method: 'GET',
      path: `${LINK}/${purpose}/:ticket`,
      access: 'link',
      open: (ticket) => links.open(purpose, ticket),
      recorded,
      handle: ({ granted: { record, query }, ...request }) =>
        read({ ...request, params: record === undefined ? {} : { id: record }, query }),
    },
  ];
};
