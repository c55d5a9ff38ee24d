/** Has at most `most` pieces of work done at once; the others wait, first come, first served. */
export const inTurns = (most: number): (<A>(work: () => Promise<A>) => Promise<A>) => {
  const waiting: Array<() => void> = [];
  let running = 0;
  return async (work) => {
    if (running >= most) await new Promise<void>((begin) => waiting.push(begin));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // who begins next takes the place over
      if (next === undefined) running -= 1;
      else next();
    }
  };
};
