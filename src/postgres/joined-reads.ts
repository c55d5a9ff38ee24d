/** A read under way, and the one that waits behind it. */
type Turn<A> = { readonly current: Promise<A>; next: Promise<A> | undefined };

/**
 * Runs a read once for all who ask for the same while it waits: one read of each key is under way, and one waits behind
 * it. A request never joins a read that was already begun, so that it does not get an older answer.
 */
export const makeJoinedReads = <A>(): ((key: string, read: () => Promise<A>) => Promise<A>) => {
  const turns = new Map<string, Turn<A>>();

  const begin = (key: string, read: () => Promise<A>): Promise<A> => {
    const current = read();
    const turn: Turn<A> = { current, next: undefined };
    turns.set(key, turn);
    const finish = (): void => {
      if (turns.get(key) === turn && turn.next === undefined) turns.delete(key);
    };
    current.then(finish, finish);
    return current;
  };

  return (key, read) => {
    const turn = turns.get(key);
    if (turn === undefined) return begin(key, read);
    const again = (): Promise<A> => begin(key, read);
    turn.next ??= turn.current.then(again, again);
    return turn.next;
  };
};
