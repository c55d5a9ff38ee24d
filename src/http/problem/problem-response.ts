import type { KoaContext } from '../request-context.js';
import type { HttpResponse } from '../response/http-response.js';
import { errorBody } from './error-body.js';
import type { Problem } from './problem.js';
import { PROBLEM_TYPE, problemDetails, wantsProblemDetails } from './problem-details.js';

/** The response that tells a client of a problem, in the form that it accepts. */
export const problemResponse = (ctx: KoaContext, problem: Problem): HttpResponse => {
  const { status, headers = [], closes = false } = problem;
  const { requestId } = ctx.state;
  const response = { status, headers, closes };
  // Through Koa, because another `Vary` may be there already. Also without problem details: a cache would else give an
  // error to a client that accepts another form.
  ctx.vary('Accept');
  if (!wantsProblemDetails(ctx.req.headers.accept))
    return { ...response, body: JSON.stringify(errorBody(problem, requestId)) };
  return { ...response, body: problemDetails(problem, requestId), contentType: PROBLEM_TYPE };
};
