import Router, { type RouterMiddleware } from '@koa/router';
import { either as E } from 'fp-ts';
import type { Identified } from '../authentication/authenticate.js';
import { connectionOf } from '../budget/connection.js';
import { endingHeaders } from '../openapi/ending.js';
import { NO_QUERY, type Query, type QueryValues, readQuery } from '../parameters/query.js';
import { type Handling, type KoaContext, pathOf, type RequestContext, type RequestState } from '../request-context.js';
import type { RecordedRequest } from '../recorded-request.js';
import { isProbe, type LinkRequired, type Route } from '../route.js';
import { admit, type Admission, asksForPast, type Guarded } from './admit.js';
import { parametersOf } from './find-unknown.js';
import { refusingUnknown } from './refuse-unknown.js';
import { noteRoute } from './route-of-request.js';

const requestOf = (ctx: RoutedContext, { values, faults }: Query): RequestContext =>
  faults.length === 0
    ? { ctx, params: ctx.params, query: values }
    : { ctx, params: ctx.params, query: values, unreadable: faults };

const handleAdmitted = (
  route: Guarded,
  admission: Admission,
  identified: Identified,
  ctx: RoutedContext,
  query: Query,
): Handling => {
  // before it is refused: the log says who was
  if (E.isRight(identified)) ctx.state.caller = identified.right;
  const admitted = admit(admission, route, ctx, query.values, identified);
  if (E.isLeft(admitted)) return admitted;
  const caller = admitted.right;
  if (connectionOf(ctx.req.socket).isGone()) return E.left({ _tag: 'ClientGone' });
  if (route.access === 'optional token') return route.handle(requestOf(ctx, query));
  return caller === undefined
    ? E.left({ _tag: 'Unauthenticated' })
    : route.handle({ ...requestOf(ctx, query), caller });
};

/** A request whose path the router has read. */
type RoutedContext = KoaContext & { readonly params: Readonly<Record<string, string>> };

/** The rate limit counts it for who made the link, and so does the record of reads. */
const handleLinked = (
  { open, recorded, handle: read }: LinkRequired,
  { rateLimit }: Pick<Admission, 'rateLimit'>,
  ctx: RoutedContext,
  query: Query,
): Handling => {
  const opened = open(ctx.params['ticket'] ?? '');
  const caller = E.isRight(opened) ? opened.right.caller : undefined;
  ctx.state.caller = caller;
  const exceeded = rateLimit?.(caller, ctx);
  if (exceeded !== undefined) return E.left(exceeded);
  if (E.isLeft(opened)) return opened;
  const { granted } = opened.right;
  ctx.state.record = granted.record;
  const { entityType, form } = recorded;
  ctx.state.recorded = { entityType, form, known: Object.keys(granted.query), values: granted.query };
  if (connectionOf(ctx.req.socket).isGone()) return E.left({ _tag: 'ClientGone' });
  return read({ ...requestOf(ctx, query), ...opened.right });
};

/** Begins to handle a request, at once where its token is known. */
const handle = (route: Route, admission: Admission, ctx: RoutedContext, query: Query): Handling => {
  if (route.access === 'public') {
    const exceeded = isProbe(route) ? undefined : admission.rateLimit?.(undefined, ctx);
    return exceeded === undefined ? route.handle(requestOf(ctx, query)) : E.left(exceeded);
  }
  if (route.access === 'link') return handleLinked(route, admission, ctx, query);
  const identified = admission.authenticate(ctx);
  return identified instanceof Promise
    ? identified.then((known) => handleAdmitted(route, admission, known, ctx, query))
    : handleAdmitted(route, admission, identified, ctx, query);
};

/** The checks of a row, which may identify its callers in a way of its own. */
const admissionTo = (route: Route, admission: Admission): Admission =>
  route.access === 'token' && route.authenticate !== undefined
    ? { ...admission, authenticate: route.authenticate(admission.authenticate) }
    : admission;

const NOT_RECORDED = (): undefined => undefined;

/** What answers of a row are recorded with, by what they are asked. */
const recordingOf = (route: Route): ((query: Query) => RecordedRequest | undefined) => {
  if (route.access !== 'token' || route.recorded === undefined) return NOT_RECORDED;
  const { when, entityType, form } = route.recorded;
  const known = parametersOf(route.description);
  const isMeant = {
    always: () => true,
    past: asksForPast,
    preview: ({ preview }: QueryValues) => preview === 'true',
  }[when];
  return ({ values }) => (isMeant(values) ? { entityType, form, known, values } : undefined);
};

const middlewareOf = (route: Route, common: Admission): RouterMiddleware<RequestState> => {
  const admission = admissionTo(route, common);
  const recorded = recordingOf(route);
  const { ending } = route.description;
  const ends = ending === undefined ? undefined : endingHeaders(ending);
  return (ctx) => {
    const { state, querystring } = ctx;
    state.operation = route.operation;
    state.absent = route.absent;
    state.record = ctx.params['id'];
    noteRoute(ctx.req, route.path);
    if (ends !== undefined) ctx.set(ends);
    const query = querystring === '' ? NO_QUERY : readQuery(querystring);
    state.recorded = recorded(query);
    state.handling = handle(route, admission, ctx, query);
  };
};

/** How many segments a path has, without the empty one after a trailing slash. */
const depthOf = (path: string): number => {
  let depth = path.endsWith('/') ? -1 : 0;
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) depth += 1;
  return depth;
};

/** What the path of a row begins with that takes paths of any depth; undefined of any other row. */
const prefixOf = (path: string): string | undefined => (path.includes('*') ? /^[^:*]*/.exec(path)?.[0] : undefined);

/** Has a request handled: when the promise that it returns resolves, its `handling` is set, if there is a handler. */
export type RouteRequest = (ctx: KoaContext) => unknown;

type Dispatch = (ctx: KoaContext, next: () => Promise<void>) => unknown;

const nothingElse = (): Promise<void> => Promise.resolve();

/**
 * Sends each request of the table to its handler, after the checks that its row asks for. There is a router for each
 * depth of paths, because a router tries the regular expressions of all its routes, and one for each prefix of paths of any
 * depth.
 */
export const makeRouting = (routes: ReadonlyArray<Route>, admission: Admission): RouteRequest => {
  const routers = new Map<number | string, Router<RequestState>>();
  for (const route of refusingUnknown(routes)) {
    const key = prefixOf(route.path) ?? depthOf(route.path);
    const router = routers.get(key) ?? new Router<RequestState>({ sensitive: true });
    routers.set(key, router);
    router.register(route.path, [route.method], middlewareOf(route, admission), { name: route.operation });
  }
  // reason: a router itself adds what its type wants to be in the context
  const dispatch = new Map([...routers].map(([key, router]) => [key, router.routes() as Dispatch]));
  // the longest first, as one may be the beginning of another
  const prefixes = [...routers.keys()].filter((key) => typeof key === 'string').sort((a, b) => b.length - a.length);
  return (ctx) => {
    const path = pathOf(ctx);
    const key = prefixes.find((prefix) => path.startsWith(prefix)) ?? depthOf(path);
    return dispatch.get(key)?.(ctx, nothingElse);
  };
};
