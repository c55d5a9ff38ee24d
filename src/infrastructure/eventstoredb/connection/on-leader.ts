import { either as E } from 'fp-ts';
import { attempt } from '../../../event-sourcing/attempt.js';
import type { OnConnectionEvent } from '../../../event-sourcing/connection-event.js';
import { asStoreUnavailable, type StoreUnavailable } from '../../../event-sourcing/event-store.js';
import { makeRetry } from '../../../event-sourcing/retry.js';
import type { Runtime } from '../../../event-sourcing/runtime.js';
import type { Timings } from '../options.js';
import { CallFailed } from './call-failed.js';
import type { Connection } from './connection.js';
import type { Node } from './node.js';

/** What every part of the adapter works with. */
export type Access = {
  readonly runtime: Runtime;
  readonly connection: Connection;
  readonly timings: Timings;
  readonly onConnectionEvent: OnConnectionEvent;
};

/** One call; `timeout` is its longest time without a message, ms. Rejects with `CallFailed`. */
type Call<A> = (node: Node, timeout: number) => Promise<A>;

const callOnce = async <A>(
  { runtime: { clock }, connection, timings }: Access,
  call: Call<A>,
  until: number,
): Promise<E.Either<CallFailed | StoreUnavailable, A>> => {
  const node = await connection.node(until);
  if (E.isLeft(node)) return node;
  const timeout = Math.min(timings.idleTimeout, Math.max(timings.minimumTimeout, until - clock.monotonic()));
  const outcome = await attempt(
    () => call(node.right, timeout),
    (thrown) => (thrown instanceof CallFailed ? thrown : asStoreUnavailable(thrown)),
  );
  if (E.isLeft(outcome) && outcome.left instanceof CallFailed && outcome.left.isOfConnection)
    connection.discard(node.right, outcome.left);
  return outcome;
};

/**
 * A call on the leader, retried while its failure is transient (on a new connection where that may help) and `until`
 * (of `Clock.monotonic`) has not come. A try begins only when the one before it is over.
 */
export const onLeader = async <A>(
  access: Access,
  call: Call<A>,
  until: number,
  onRetry: (failure: CallFailed) => void,
): Promise<E.Either<CallFailed | StoreUnavailable, A>> => {
  const retry = makeRetry({
    runtime: access.runtime,
    ...access.timings.backoff,
    until,
    signal: access.connection.closed,
  });
  for (;;) {
    const outcome = await callOnce(access, call, until);
    if (E.isRight(outcome)) return outcome;
    const failure = outcome.left;
    // where no connection was found in time, `connection` has done the retries
    if (!(failure instanceof CallFailed && failure.isTransient)) return outcome;
    if (!(await retry.again())) return outcome;
    onRetry(failure);
  }
};

/** A call without effect on the leader, retried for `timeout` or until `until`. */
export const readOnLeader = async <A>(
  access: Access,
  call: Call<A>,
  until: number = access.runtime.clock.monotonic() + access.timings.timeout,
): Promise<E.Either<StoreUnavailable, A>> => {
  const onRetry = (cause: CallFailed): void => access.onConnectionEvent({ kind: 'read-repeated', cause });
  return E.mapLeft(asStoreUnavailable)(await onLeader(access, call, until, onRetry));
};
