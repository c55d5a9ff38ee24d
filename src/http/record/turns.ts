import type { Readable } from 'node:stream';
import { makeReaders, type Reader } from '../../read/stopped-readers.js';

type TurnLimits = {
  /** Turns at once. */
  readonly places: number;
  /** Longest wait for a turn, ms. */
  readonly patienceMs: number;
  /** A body whose reader takes nothing for so long gives way to one that waits, ms. */
  readonly courtesyMs: number;
};

/** The right to hold something large for an answer; it ends with the body that it is lent to. */
export type Turn = Pick<Reader, 'heldUp' | 'lendTo'> & { readonly end: () => void };

export type Turns = {
  /** Undefined when none is to be had in time. */
  readonly take: () => Promise<Turn | undefined>;
};

/** Between two looks of one that waits, ms. */
const GLANCE_MS = 100;

/**
 * So many turns at once, the others wait. Memory is then bounded whoever asks; and a few clients that read nothing do
 * not shut out everybody, since the one that stopped first is cut off while another waits.
 */
export const makeTurns = ({ places, patienceMs, courtesyMs }: TurnLimits): Turns => {
  const running = makeReaders(courtesyMs);
  const waiting = new Set<(turn: Turn | undefined) => void>();

  const begin = (): Turn => {
    const reader = running.enter();
    const end = (): void => {
      if (!reader.leave()) return;
      const [next] = waiting;
      next?.(begin());
    };
    const lendTo = (body: Readable): void => {
      reader.lendTo(body);
      body.once('close', end);
    };
    return { heldUp: reader.heldUp, lendTo, end };
  };

  return {
    take: () =>
      running.count() < places
        ? Promise.resolve(begin())
        : new Promise((resolve) => {
            const glances = setInterval(running.cutOffStopped, GLANCE_MS);
            const settle = (turn: Turn | undefined): void => {
              clearInterval(glances);
              clearTimeout(patience);
              waiting.delete(settle);
              resolve(turn);
            };
            const patience = setTimeout(() => settle(undefined), patienceMs);
            waiting.add(settle);
          }),
  };
};
