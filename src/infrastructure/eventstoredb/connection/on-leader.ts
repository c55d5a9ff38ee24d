import { either as E } from 'fp-ts';
import { attempt } from '../../../event-sourcing/attempt.js';
import type { OnConnectionEvent } from '../../../event-sourcing/connection-event.js';
import { asStoreUnavailable, StoreUnavailable } from '../../../event-sourcing/event-store.js';
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

/** When the last try of a call begins that is given up at `until`: it gets `minimumTimeout` all the same. */
export const latestTry = ({ runtime: { clock }, timings }: Access, until = Infinity): number =>
  Math.min(clock.monotonic() + timings.timeout, until - timings.minimumTimeout);

/** What a call gets that begins now, ms; none when it begins so long after its last try was to begin. */
export const timeLeft = ({ runtime: { clock }, timings }: Access, until: number): number => {
  const left = until - clock.monotonic();
  return left < 0
    ? left + timings.minimumTimeout
    : Math.min(timings.idleTimeout, Math.max(timings.minimumTimeout, left));
};

export const noTime = (): StoreUnavailable => new StoreUnavailable('EventStoreDB: no time is left for a call');

const callOnce = async <A>(
  access: Access,
  call: Call<A>,
  until: number,
): Promise<E.Either<CallFailed | StoreUnavailable, A>> => {
  const { connection } = access;
  const node = await connection.node(until);
  if (E.isLeft(node)) return node;
  const timeout = timeLeft(access, until);
  if (timeout <= 0) return E.left(noTime());
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

/** A call without effect on the leader, whose last try begins by `until`. */
export const readOnLeader = async <A>(
  access: Access,
  call: Call<A>,
  until: number = latestTry(access),
): Promise<E.Either<StoreUnavailable, A>> => {
  const onRetry = (cause: CallFailed): void => access.onConnectionEvent({ kind: 'read-repeated', cause });
  return E.mapLeft(asStoreUnavailable)(await onLeader(access, call, until, onRetry));
};
