import type { Readable } from 'node:stream';

type TurnLimits = {
  /** Turns at once. */
  readonly places: number;
  /** Longest wait for a turn, ms. */
  readonly patienceMs: number;
  /** A body whose reader takes nothing for so long gives way to one that waits, ms. */
  readonly courtesyMs: number;
};

/** The right to hold something large for an answer. */
export type Turn = {
  /** Told when something was handed to the reader, and when it asks for more. */
  readonly heldUp: (isHeldUp: boolean) => void;
  /** The body that may be cut off for others; the turn ends with it. */
  readonly lendTo: (body: Readable) => void;
  readonly end: () => void;
};

export type Turns = {
  /** Undefined when none is to be had in time. */
  readonly take: () => Promise<Turn | undefined>;
};

type Running = { heldUpSince: number | undefined; body: Readable | undefined };

/** Between two looks of one that waits, ms. */
const GLANCE_MS = 100;

/**
 * So many turns at once, the others wait. Memory is then bounded whoever asks; and a few clients that read nothing do
 * not shut out everybody, since the one that stopped first is cut off while another waits.
 */
export const makeTurns = ({ places, patienceMs, courtesyMs }: TurnLimits): Turns => {
  const running = new Set<Running>();
  const waiting = new Set<(turn: Turn | undefined) => void>();

  const begin = (): Turn => {
    const current: Running = { heldUpSince: undefined, body: undefined };
    running.add(current);
    const end = (): void => {
      if (!running.delete(current)) return;
      const [next] = waiting;
      next?.(begin());
    };
    return {
      heldUp: (isHeldUp) => {
        current.heldUpSince = isHeldUp ? performance.now() : undefined;
      },
      lendTo: (body) => {
        current.body = body;
        body.once('close', end);
      },
      end,
    };
  };

  const giveWay = (): void => {
    const stopped = [...running]
      .filter(({ heldUpSince = Infinity }) => performance.now() - heldUpSince >= courtesyMs)
      .sort((one, other) => (one.heldUpSince ?? 0) - (other.heldUpSince ?? 0))[0];
    stopped?.body?.destroy(new Error('gave way to another, as its reader took nothing'));
  };

  return {
    take: () =>
      running.size < places
        ? Promise.resolve(begin())
        : new Promise((resolve) => {
            const glances = setInterval(giveWay, GLANCE_MS);
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
