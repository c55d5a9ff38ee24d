import { either as E } from 'fp-ts';
import type { KoaContext } from '../request-context.js';
import type { Failure } from '../problem/failure.js';
import type { HttpResponse } from '../response/http-response.js';
import { noteRoute } from './route-of-request.js';

type Matched = ReadonlyArray<{ readonly methods: ReadonlyArray<string>; readonly path: string | RegExp }>;

const allowOf = (matched: Matched): string =>
  [...new Set(matched.flatMap(({ methods }) => methods)), 'OPTIONS'].sort().join(', ');

/** The outcome of a request that no row of the table takes: OPTIONS, another method of a known path, an unknown path. */
export const unrouted = ({
  req,
  method,
  matched,
}: KoaContext & { readonly matched?: Matched }): E.Either<Failure, HttpResponse> => {
  const [first] = matched ?? [];
  if (matched === undefined || first === undefined) return E.left({ _tag: 'RouteNotFound' });
  noteRoute(req, String(first.path));
  const allow = allowOf(matched);
  return method === 'OPTIONS'
    ? E.right({ status: 204, headers: ['Allow', allow] })
    : E.left({ _tag: 'MethodNotAllowed', allow });
};
