/** Something that changes, and whose changes can be waited for. */
export type News = {
  /** It has changed: those who wait look again. */
  readonly tell: () => void;
  /** Resolves when it is so: at once, or with the change that makes it so. */
  readonly until: (isSo: () => boolean) => Promise<void>;
};

export const makeNews = (): News => {
  const waiting = new Set<() => void>();
  return {
    tell: () => {
      for (const look of [...waiting]) look();
      waiting.clear();
    },
    until: async (isSo) => {
      while (!isSo()) await new Promise<void>((look) => waiting.add(look));
    },
  };
};

/** What was heard so far, in its order. */
export type Heard<A> = {
  readonly all: ReadonlyArray<A>;
  readonly hear: (each: A) => void;
  /** Resolves with all of it as soon as that satisfies. */
  readonly until: (satisfies: (all: ReadonlyArray<A>) => boolean) => Promise<ReadonlyArray<A>>;
};

export const makeHeard = <A>(): Heard<A> => {
  const all: Array<A> = [];
  const news = makeNews();
  return {
    all,
    hear: (each) => {
      all.push(each);
      news.tell();
    },
    until: async (satisfies) => {
      await news.until(() => satisfies(all));
      return all;
    },
  };
};
