import type { LogBatch } from '../../../src/event-sourcing/event-store.js';

type Merging = {
  /** How much is read ahead, about. */
  readonly events: number;
  readonly bytes: number;
  /** Whether each batch but the last is that large, although the consumer may have to wait for it. */
  readonly isFull?: boolean;
};

const bytesOf = ({ events }: LogBatch): number =>
  events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);

const joined = (batches: ReadonlyArray<LogBatch>, newest: LogBatch): LogBatch => ({
  events: batches.flatMap(({ events }) => events),
  checkpoint: newest.checkpoint,
});

/**
 * Merges the batches that arrive while the consumer is busy into one, so that slow commits lead to larger batches.
 * Ends, or throws, as the source does, and ends with what was read when `signal` aborts. The source is aborted when the
 * consumer leaves early.
 */
export async function* mergeBatches(
  source: (signal: AbortSignal) => AsyncIterable<LogBatch>,
  limits: Merging,
  signal: AbortSignal,
): AsyncGenerator<LogBatch> {
  const leave = new AbortController();
  const ends = AbortSignal.any([signal, leave.signal]);
  const waiting: Array<LogBatch> = [];
  let end: { readonly error?: unknown } | undefined;
  let events = 0;
  let bytes = 0;
  let arrived = (): void => undefined;
  let taken = (): void => undefined;

  const isFull = (): boolean => events >= limits.events || bytes >= limits.bytes;

  const readAhead = async (): Promise<void> => {
    for await (const batch of source(ends)) {
      if (ends.aborted) return;
      waiting.push(batch);
      events += batch.events.length;
      bytes += bytesOf(batch);
      arrived();
      while (isFull() && !leave.signal.aborted) await new Promise<void>((resolve) => (taken = resolve));
    }
  };

  const reading = readAhead().then(
    () => (end = {}),
    (error: unknown) => (end = { error }),
  );
  void reading.then(() => arrived());

  try {
    for (;;) {
      const newest = waiting.at(-1);
      if (newest !== undefined && (limits.isFull !== true || isFull() || end !== undefined)) {
        const batches = waiting.splice(0);
        [events, bytes] = [0, 0];
        taken();
        yield joined(batches, newest);
      } else if (end !== undefined) {
        if ('error' in end) throw end.error;
        return;
      } else await new Promise<void>((resolve) => (arrived = resolve));
    }
  } finally {
    leave.abort();
    taken();
    await reading;
  }
}
