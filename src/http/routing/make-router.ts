import Router, { type RouterMiddleware } from '@koa/router';
import { either as E } from 'fp-ts';
import { connectionOf } from '../budget/connection.js';
import type { RequestContext, RequestState } from '../request-context.js';
import type { Failure } from '../problem/failure.js';
import type { HttpResponse } from '../response/http-response.js';
import { isLimited, type Route } from '../route.js';
import { admit, type Admission } from './admit.js';

const noParameters = new URLSearchParams();

const run = async (
  route: Route,
  admission: Admission,
  request: RequestContext,
): Promise<E.Either<Failure, HttpResponse>> => {
  if (route.access === 'public') {
    const exceeded = isLimited(route) ? admission.rateLimit?.(undefined, request.ctx) : undefined;
    return exceeded === undefined ? route.handle(request) : E.left(exceeded);
  }
  const admitted = await admit(admission, route, request.ctx, request.searchParams);
  if (E.isLeft(admitted)) return admitted;
  const caller = admitted.right;
  if (caller !== undefined) request.ctx.state.caller = caller;
  if (connectionOf(request.ctx.req.socket).isGone()) return E.left({ _tag: 'ClientGone' });
  if (route.access === 'optional token') return route.handle(request);
  return caller === undefined ? E.left({ _tag: 'Unauthenticated' }) : route.handle({ ...request, caller });
};

const middlewareOf =
  (route: Route, admission: Admission): RouterMiddleware<RequestState> =>
  async (ctx) => {
    const { state, params, querystring } = ctx;
    state.operation = route.operation;
    const searchParams = querystring === '' ? noParameters : new URLSearchParams(querystring);
    state.outcome = await run(route, admission, { ctx, params, searchParams });
  };

/** Sends each request of the table to its handler, after the checks that its row asks for. */
export const makeRouter = (routes: ReadonlyArray<Route>, admission: Admission): Router<RequestState> => {
  const router = new Router<RequestState>({ sensitive: true });
  for (const route of routes)
    router.register(route.path, [route.method], middlewareOf(route, admission), { name: route.operation });
  return router;
};
