/** How much of what a life may have there is in it. */
type Size = { readonly clients: number; readonly faults: number };

/** What kind of promise broke, whoever and whatever it was about: the words of the line without names, ids and numbers. */
const kindOf = (broken: string): string => {
  const words = broken.replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/gu, '').match(/[\w'-]+/gu) ?? [];
  return [...new Set(words.filter((word) => !/\d/u.test(word)))].toSorted().join(' ');
};

/** A number that is enough: that behind the largest of `least`, twice as many and so on that is not; `most` is. */
const fewest = async (least: number, most: number, isEnough: (many: number) => Promise<boolean>): Promise<number> => {
  let [tooFew, enough] = [least - 1, least];
  while (enough < most && !(await isEnough(enough))) [tooFew, enough] = [enough, enough < 1 ? 1 : enough * 2];
  enough = Math.min(enough, most);
  while (enough - tooFew > 1) {
    const between = Math.floor((tooFew + enough) / 2);
    if (await isEnough(between)) enough = between;
    else tooFew = between;
  }
  return enough;
};

/**
 * Makes a life smaller for as long as it breaks the same kind of promise: fewer clients, then fewer faults. `breaks` gives what
 * a life of such a size breaks.
 */
export const shrink = async (
  broken: string,
  { clients: allClients, faults: allFaults }: Size,
  breaks: (size: Size) => Promise<ReadonlyArray<string>>,
): Promise<Size> => {
  const kind = kindOf(broken);
  const isSame = async (size: Size): Promise<boolean> => (await breaks(size)).some((line) => kindOf(line) === kind);
  const clients = await fewest(1, allClients, (many) => isSame({ clients: many, faults: allFaults }));
  const faults = await fewest(0, allFaults, (many) => isSame({ clients, faults: many }));
  return { clients, faults };
};
