import type { Clock } from './clock.js';

/**
 * How long a call to the log or to a database may be silent before it is given up, ms. A server that stops for 2 s (a
 * pause of its machine, a full garbage collection, a switch of the network) is waited for, because a repeat would wait
 * for it as well; and what was given up still leaves time to answer before `answerDeadline`.
 */
export const SILENCE_MS = 2_400;

/** Every request is answered within 3 s; the rest is for what is done before and after the waiting. */
const ANSWER_MS = 2_800;

/** Until when a request that began then may wait for the log and for its row; both of `Clock.monotonic`. */
export const deadlineOf = (began: number): number => began + ANSWER_MS;

/** The same of a request that begins now. */
export const answerDeadline = (clock: Pick<Clock, 'monotonic'>): number => deadlineOf(clock.monotonic());
