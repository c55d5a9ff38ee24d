import { cpus } from 'node:os';

/** A clock that stands still as far as others have the machine: without others it goes as any clock does. */
export type LeftClock = {
  /** How much time, ms, was left of what passed between two times of `performance.now()`. */
  readonly between: (began: number, ended: number) => number;
  readonly stop: () => void;
};

type Reading = { readonly at: number; readonly left: number };

const READ_MS = 200;

/** What the clock showed at a time: between two readings it goes evenly. */
const shownAt = (readings: ReadonlyArray<Reading>, time: number): number => {
  const next = readings.findIndex(({ at }) => at >= time);
  const [one, other] = [readings.at(next === -1 ? -1 : Math.max(0, next - 1)), readings.at(next)];
  // reason: there is a reading from the start on
  if (one === undefined || other === undefined) return NaN;
  const [passed, whole] = [time - one.at, other.at - one.at];
  return whole === 0 ? one.left + passed : one.left + ((other.left - one.left) * passed) / whole;
};

/** Starts the clock; `takenByOthers` counts the processor time of all that has nothing to do with it, µs. */
export const startLeftClock = (takenByOthers: () => number): LeftClock => {
  const began = takenByOthers();
  const readings: Array<Reading> = [{ at: performance.now(), left: 0 }];
  const read = (): void => {
    const at = performance.now();
    const taken = (takenByOthers() - began) / 1_000 / cpus().length;
    readings.push({ at, left: Math.max(readings.at(-1)!.left, at - readings[0]!.at - taken) });
  };
  const reading = setInterval(read, READ_MS);
  return {
    between: (from, to) => {
      if (readings.at(-1)!.at < to) read();
      return shownAt(readings, to) - shownAt(readings, from);
    },
    stop: () => clearInterval(reading),
  };
};
