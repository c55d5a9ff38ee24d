import { either as E } from 'fp-ts';
import type { Outcome } from '../../application/execute.js';
import type { Unexpected } from '../problem/failure.js';
import { tagOfExpected } from '../request/entity-tags.js';
import { type HttpResponse, ok } from '../response/http-response.js';

/**
 * The response to a command on `id`: what it left behind, as `render` shows it, with its `ETag`, and
 * `X-Projected: false` where a list may not show it yet. `render` gives undefined when there is nothing, which is a
 * fault of ours.
 */
export const commandResponse = <Failed, State>(
  id: string,
  executed: E.Either<Failed, Outcome<State>>,
  render: (id: string, outcome: Outcome<State>) => string | undefined,
  ...headers: ReadonlyArray<string>
): E.Either<Failed | Unexpected, HttpResponse> => {
  if (E.isLeft(executed)) return executed;
  const { revision, projected } = executed.right;
  const body = render(id, executed.right);
  if (body === undefined) return E.left({ _tag: 'Unexpected', cause: 'a command has left nothing behind' });
  const tag = tagOfExpected(revision);
  const outcomeHeaders = [...(tag === undefined ? [] : ['ETag', tag]), ...(projected ? [] : ['X-Projected', 'false'])];
  return E.right(ok(body, ...headers, ...outcomeHeaders));
};
