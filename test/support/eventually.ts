import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 5;

/** No promise of the service, only when to give up: long enough for a machine that is busy with other tests. */
const LONG_ENOUGH_MS = 15_000;

/** Asks until the answer satisfies, and gives it; gives the last answer when `timeoutMs` has passed. */
export const eventually = async <A>(
  ask: () => A | Promise<A>,
  satisfies: (answer: A) => boolean,
  timeoutMs = LONG_ENOUGH_MS,
): Promise<A> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (satisfies(answer) || performance.now() > deadline) return answer;
    // polls: of this are all others
    await delay(PAUSE_MS);
  }
};

const POLLS_AT_REST = 20;

/** Asks until the answer has stayed the same for a while, and gives it. */
export const atRest = async (ask: () => number): Promise<number> => {
  let last = ask();
  for (let same = 0; same < POLLS_AT_REST; same += 1) {
    // polls: nobody tells that nothing comes any more
    await delay(PAUSE_MS);
    if (ask() !== last) same = 0;
    last = ask();
  }
  return last;
};
