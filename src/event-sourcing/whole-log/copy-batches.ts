import { either as E } from 'fp-ts';
import type { AppendFailure } from '../event-store.js';
import type { StoredEvent } from '../recorded-event.js';
import { makeRetry } from '../retry.js';
import type { Runtime } from '../runtime.js';
import { gatherAppends } from './gather-appends.js';
import type { Append, LogTarget } from './log-target.js';

/** How long the target may be away before a copy gives up, ms: an election or a restart must not end hours of work. */
const OUTAGE_MS = 60_000;
/** Bounds of the pauses while it is away, ms. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [250, 2_000];

const appendWithRetry = async (
  runtime: Runtime,
  target: LogTarget,
  appends: ReadonlyArray<Append>,
  signal: AbortSignal,
): Promise<E.Either<AppendFailure, void>> => {
  const until = runtime.clock.monotonic() + OUTAGE_MS;
  const retry = makeRetry({ runtime, first: FIRST_PAUSE, longest: LONGEST_PAUSE, until, signal });
  for (;;) {
    const outcome = await target.appendInOrder(appends);
    const isAway = E.isLeft(outcome) && outcome.left._tag === 'StoreUnavailable';
    if (!isAway || !(await retry.again())) return outcome;
  }
};

type CopyingBatches<Batch> = {
  readonly runtime: Runtime;
  /** After each batch: events copied so far. */
  readonly onCopied: (copied: number, batch: Batch) => void;
  readonly signal: AbortSignal;
};

/**
 * Writes the batches of a log, or of an export, into the target in their order; gives how many events these were. When
 * `signal` aborts, ends after the batch under way. Throws what the source throws; the batches before that are stored.
 */
export const copyBatches = async <Batch extends { readonly events: ReadonlyArray<StoredEvent> }>(
  batches: AsyncIterable<Batch>,
  target: LogTarget,
  { runtime, onCopied, signal }: CopyingBatches<Batch>,
): Promise<E.Either<AppendFailure, number>> => {
  let copied = 0;
  for await (const batch of batches) {
    const appended = await appendWithRetry(runtime, target, gatherAppends(batch.events), signal);
    if (E.isLeft(appended)) return appended;
    copied += batch.events.length;
    onCopied(copied, batch);
    if (signal.aborted) break;
  }
  return E.right(copied);
};
