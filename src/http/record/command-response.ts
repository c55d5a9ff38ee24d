import { either as E } from 'fp-ts';
import type { Outcome } from '../../application/execute.js';
import { withLifecycle } from '../../read/record-body.js';
import type { Unexpected } from '../problem/failure.js';
import { tagOfExpected } from '../request/entity-tags.js';
import { type HttpResponse, ok } from '../response/http-response.js';

/**
 * The response to a command on `id`: what it left behind, as `render` shows it, with its `ETag`, and
 * `X-Projected: false` where a list may not show it yet, `Idempotent-Replayed: true` where it was carried out before.
 * `render` gives undefined when there is nothing, which is a fault of ours.
 */
export const commandResponse = <Failed, State>(
  id: string,
  executed: E.Either<Failed, Outcome<State>>,
  render: (id: string, outcome: Outcome<State>) => string | undefined,
  ...headers: ReadonlyArray<string>
): E.Either<Failed | Unexpected, HttpResponse> => {
  if (E.isLeft(executed)) return executed;
  const { revision, projected, replayed } = executed.right;
  const body = render(id, executed.right);
  if (body === undefined) return E.left({ _tag: 'Unexpected', cause: 'a command has left nothing behind' });
  const tag = tagOfExpected(revision);
  const outcomeHeaders = tag === undefined ? [] : ['ETag', tag];
  if (!projected) outcomeHeaders.push('X-Projected', 'false');
  if (replayed) outcomeHeaders.push('Idempotent-Replayed', 'true');
  return E.right(ok(body, ...headers, ...outcomeHeaders));
};

/** The same where what it left behind is the record: `render` gives it without its lifecycle. */
export const recordResponse = <Failed, State>(
  id: string,
  executed: E.Either<Failed, Outcome<State>>,
  render: (id: string, outcome: Outcome<State>) => string | undefined,
  ...headers: ReadonlyArray<string>
): E.Either<Failed | Unexpected, HttpResponse> =>
  commandResponse(
    id,
    executed,
    (_, outcome) => {
      const record = render(id, outcome);
      const { revision, createdAt, updatedAt } = outcome;
      return record === undefined || revision === 'no-stream'
        ? undefined
        : withLifecycle(record, { createdAt, updatedAt, revision });
    },
    ...headers,
  );
