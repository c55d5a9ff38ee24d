import type { Clock } from '../../event-sourcing/clock.js';

/** Work of one iteration of the event loop: this many bytes of streamed responses, or one piece of other long work. */
const BYTES_PER_ITERATION = 256 * 1024;

/** Iterations in a row that long work may have to skip because connections arrive. */
const MAX_SKIPPED = 8;

type Waiter = { readonly bytes: number; readonly begin: () => void };

/** The long work of one server, cut into slices of time. */
export type TimeSlices = {
  /** To be called with every connection that arrives. */
  readonly noteArrival: () => void;
  /**
   * To be awaited before a request on a new connection begins. While connections arrive in every iteration, requests begin
   * together when none arrives, or after eight iterations. By then we know which of the connections have been reset.
   */
  readonly arrivalsPaused: () => Promise<void>;
  /**
   * To be awaited before each piece of long work: a page of events that is folded, a part of a stream that is sent.
   * `bytes` is the size of the piece; without it, the piece takes a whole iteration of the event loop. First come, first
   * served.
   */
  readonly timeSlice: (bytes?: number) => Promise<void>;
};

/**
 * Node accepts one connection in each iteration. If a page were folded for every reader of a history in each of them, the
 * last of some hundred new connections would wait for a minute. So there is little long work in an iteration, and next to
 * none while connections arrive.
 */
export const makeTimeSlices = (clock: Pick<Clock, 'soon'>): TimeSlices => {
  const waiting: Array<Waiter> = [];
  let newcomers: Array<() => void> = [];
  /** Bytes that may still be worked on in this iteration. */
  let left = BYTES_PER_ITERATION;
  let hasArrived = false;
  let skipped = 0;
  let isScheduled = false;

  const admitNewcomers = (): void => {
    const admitted = newcomers;
    newcomers = [];
    for (const begin of admitted) begin();
  };

  const beginIteration = (): void => {
    skipped = hasArrived && skipped < MAX_SKIPPED ? skipped + 1 : 0;
    hasArrived = false;
    left = skipped > 0 ? 0 : BYTES_PER_ITERATION;
    if (skipped === 0) admitNewcomers();
    while (left > 0) {
      const next = waiting.shift();
      if (next === undefined) break;
      left -= next.bytes;
      next.begin();
    }
    isScheduled = left < BYTES_PER_ITERATION;
    if (isScheduled) clock.soon(beginIteration);
  };

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    clock.soon(beginIteration);
  };

  return {
    noteArrival: () => {
      hasArrived = true;
      schedule();
    },
    arrivalsPaused: () => {
      const isCrowded = skipped > 1 || (skipped === 1 && hasArrived);
      return isCrowded ? new Promise((begin) => newcomers.push(begin)) : Promise.resolve();
    },
    timeSlice: (bytes = BYTES_PER_ITERATION) => {
      if (left <= 0 || hasArrived) return new Promise((begin) => waiting.push({ bytes, begin }));
      left -= bytes;
      schedule();
      return Promise.resolve();
    },
  };
};
