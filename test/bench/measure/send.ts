import { percentile } from '../report.js';
import type { Length, LoadResult } from './load.js';

/** What one connection does: sends requests, one after the other, while it may; rejects when the connection is lost. */
type Connection = {
  /** Whether one more request may be sent. */
  readonly mayBegin: () => boolean;
  /** One was answered; ms that it took. */
  readonly answered: (took: number, isAsExpected: boolean) => void;
};

/** Has so many connections send requests at the same time, and says how they were answered. */
export const sendOn = async (
  connections: number,
  length: Length,
  send: (connection: Connection) => Promise<void>,
): Promise<LoadResult> => {
  const began = performance.now();
  const until = 'seconds' in length ? began + length.seconds * 1000 : Infinity;
  let left = 'requests' in length ? length.requests : Infinity;
  let errors = 0;
  const times: Array<number> = [];
  const connection: Connection = {
    mayBegin: () => performance.now() < until && left-- > 0,
    answered: (took, isAsExpected) => {
      times.push(took);
      if (!isAsExpected) errors += 1;
    },
  };
  const lost = (): void => void (errors += 1);
  await Promise.all(Array.from({ length: connections }, () => send(connection).catch(lost)));
  const seconds = (performance.now() - began) / 1000;
  return { requests: times.length, errors, seconds, p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
};
