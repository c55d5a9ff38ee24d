import type { Clock } from '../../event-sourcing/clock.js';

/** The field `time` of a log line, in ISO 8601. All of it but the milliseconds is rendered once a second. */
export const makeLogTime = (clock: Pick<Clock, 'date'>): (() => string) => {
  let second = NaN;
  let untilSeconds = '';
  return () => {
    const now = clock.date().getTime();
    const milliseconds = now % 1000;
    if (now - milliseconds !== second) {
      second = now - milliseconds;
      untilSeconds = `,"time":"${new Date(second).toISOString().slice(0, -'000Z'.length)}`;
    }
    return `${untilSeconds}${String(milliseconds).padStart(3, '0')}Z"`;
  };
};
