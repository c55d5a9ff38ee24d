import Router, { type RouterMiddleware } from '@koa/router';
import { either as E } from 'fp-ts';
import { connectionOf } from '../budget/connection.js';
import type { Exchange, RequestState } from '../exchange.js';
import type { Failure } from '../problem/failure.js';
import type { Answer } from '../response/answer.js';
import { isLimited, type UndescribedRoute } from '../route.js';
import { admit, type Admission } from './admit.js';

const noQuery = new URLSearchParams();

const run = async (
  route: UndescribedRoute,
  admission: Admission,
  exchange: Exchange,
): Promise<E.Either<Failure, Answer>> => {
  if (route.access === 'public') {
    const refusal = isLimited(route) ? admission.rateLimit?.(undefined, exchange.ctx) : undefined;
    return refusal === undefined ? route.handle(exchange) : E.left(refusal);
  }
  const admitted = await admit(admission, route, exchange.ctx, exchange.query);
  if (E.isLeft(admitted)) return admitted;
  const caller = admitted.right;
  if (caller !== undefined) exchange.ctx.state.caller = caller;
  if (connectionOf(exchange.ctx.req.socket).isGone()) return E.left({ _tag: 'ClientGone' });
  if (route.access === 'optional token') return route.handle(exchange);
  return caller === undefined ? E.left({ _tag: 'Unauthenticated' }) : route.handle({ ...exchange, caller });
};

const middlewareOf =
  (route: UndescribedRoute, admission: Admission): RouterMiddleware<RequestState> =>
  async (ctx) => {
    const { state, params, querystring } = ctx;
    state.operation = route.operation;
    const query = querystring === '' ? noQuery : new URLSearchParams(querystring);
    state.outcome = await run(route, admission, { ctx, params, query, requestId: state.requestId });
  };

/** Sends each request of the table to its handler, after the checks that its row asks for. */
export const makeRouter = (routes: ReadonlyArray<UndescribedRoute>, admission: Admission): Router<RequestState> => {
  const router = new Router<RequestState>({ sensitive: true });
  for (const route of routes)
    router.register(route.path, [route.method], middlewareOf(route, admission), { name: route.operation });
  return router;
};
