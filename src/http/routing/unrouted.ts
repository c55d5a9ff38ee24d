import { either as E } from 'fp-ts';
import type { KoaContext } from '../request-context.js';
import type { Failure } from '../problem/failure.js';
import type { HttpResponse } from '../response/http-response.js';

type Matched = ReadonlyArray<{ readonly methods: ReadonlyArray<string> }>;

const allowOf = (matched: Matched): string =>
  [...new Set(matched.flatMap(({ methods }) => methods)), 'OPTIONS'].sort().join(', ');

/** The outcome of a request that no row of the table takes: OPTIONS, another method of a known path, an unknown path. */
export const unrouted = ({
  method,
  matched,
}: KoaContext & { readonly matched?: Matched }): E.Either<Failure, HttpResponse> => {
  if (matched === undefined || matched.length === 0) return E.left({ _tag: 'RouteNotFound' });
  const allow = allowOf(matched);
  return method === 'OPTIONS'
    ? E.right({ status: 204, headers: ['Allow', allow] })
    : E.left({ _tag: 'MethodNotAllowed', allow });
};
