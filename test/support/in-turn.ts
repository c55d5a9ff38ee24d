/** Begins work when all that was given before has ended, well or not. */
export type InTurn = <A>(work: () => Promise<A>) => Promise<A>;

export const makeInTurn = (): InTurn => {
  let before: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = before.then(work);
    before = done.catch(() => undefined);
    return done;
  };
};
