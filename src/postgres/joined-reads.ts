/** A read under way, and the one that waits behind it: how it reads is as the newest who joined it would. */
type Turn<A> = { readonly current: Promise<A>; next: Promise<A> | undefined; read: () => Promise<A> };

/**
 * Runs a read once for all who ask for the same while it waits: one read of each key is under way, and one waits behind
 * it. A request never joins a read that was already begun, so that it does not get an older answer. Of those who wait for
 * one, it is the newest whose read is begun, because that may go on for longest.
 */
export const makeJoinedReads = <A>(): ((key: string, read: () => Promise<A>) => Promise<A>) => {
  const turns = new Map<string, Turn<A>>();

  const begin = (key: string, read: () => Promise<A>): Promise<A> => {
    const current = read();
    const turn: Turn<A> = { current, next: undefined, read };
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
    turn.read = read;
    const again = (): Promise<A> => begin(key, turn.read);
    turn.next ??= turn.current.then(again, again);
    return turn.next;
  };
};
