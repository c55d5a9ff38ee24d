import { either as E } from 'fp-ts';
import { NO_QUERY, type QueryValues } from '../parameters/query.js';
import type { UnknownNames } from '../parameters/unknown.js';
import { type Failure, requestInvalid, type RequestInvalid } from '../problem/failure.js';
import { conditionsOf } from '../request/conditions.js';
import { decodeRequest } from '../request/decode.js';
import { prefersStrict, STRICT, withApplied } from '../request/preferences.js';
import type { RequestContext } from '../request-context.js';
import type { HttpResponse } from '../response/http-response.js';
import { type Handler, isProbe, type Route } from '../route.js';
import { type FindUnknown, makeFindUnknown, parametersOf } from './find-unknown.js';

/** The faults of a GET with unknown parameters, those of its other parameters and of its conditions included. */
const faultsOf = (
  { query: codec, requestHeaders = [] }: Route['description'],
  { ctx, query: values }: RequestContext,
  { parameters }: UnknownNames,
): RequestInvalid => {
  const decoded = codec === undefined ? undefined : decodeRequest(codec)(values);
  const conditions = requestHeaders.includes('If-Match') ? conditionsOf(ctx.req.headers) : undefined;
  const faultsIn = (part: typeof decoded | typeof conditions) =>
    part !== undefined && E.isLeft(part) ? part.left.errors : [];
  return requestInvalid(...faultsIn(decoded), ...parameters, ...faultsIn(conditions));
};

/** The response to a request in strict handling says that it was applied. */
const saidStrict = async (
  handling: Promise<E.Either<Failure, HttpResponse>>,
): Promise<E.Either<Failure, HttpResponse>> =>
  E.map((response: HttpResponse) => ({
    ...response,
    headers: withApplied(response.headers ?? [], STRICT),
  }))(await handling);

/** Without the parameters that are ignored, so that nothing can come to depend on them. */
const known = (values: QueryValues, names: ReadonlyArray<string>): QueryValues => {
  const own = names.flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name] ?? ''] as const] : []));
  return own.length === 0 ? NO_QUERY.values : Object.fromEntries(own);
};

/** Refuses a GET with unknown parameters; a command reads what is unknown with its other faults. */
const refusing =
  <Request extends RequestContext>(
    { method, description }: Route,
    find: FindUnknown,
    handle: Handler<Request>,
  ): Handler<Request> =>
  (request) => {
    const isStrict = prefersStrict(request.ctx.req.headers['prefer']);
    const unknown = find(request, isStrict);
    if (unknown === undefined && request.query === NO_QUERY.values) return handle(request);
    if (unknown !== undefined && method === 'GET' && unknown.parameters.length > 0)
      return Promise.resolve(E.left(faultsOf(description, request, unknown)));
    const handling = handle({ ...request, query: known(request.query, parametersOf(description)), unknown });
    return isStrict ? saidStrict(handling) : handling;
  };

/** A route table whose operations refuse what they do not know, as far as that is not to be ignored. Probes refuse nothing. */
export const refusingUnknown = (routes: ReadonlyArray<Route>): ReadonlyArray<Route> => {
  const findIn = makeFindUnknown(routes);
  return routes.map((route) => {
    if (isProbe(route)) return route;
    const find = findIn(route);
    if (route.access === 'token') return { ...route, handle: refusing(route, find, route.handle) };
    return route.access === 'link'
      ? { ...route, handle: refusing(route, find, route.handle) }
      : { ...route, handle: refusing(route, find, route.handle) };
  });
};
