/** An event of the ledger, or as a feed has sent it. */
export type Sent = { readonly index: number; readonly id: string };

/** Holds what a feed has sent over all its connections to what there was for it: each event once, in its order. */
export const feedFaults = (
  feed: string,
  sent: ReadonlyArray<Sent>,
  expected: ReadonlyArray<Sent>,
): ReadonlyArray<string> => {
  const faults: Array<string> = [];
  for (const [place, { index }] of sent.entries()) {
    const before = sent[place - 1]?.index ?? -1;
    if (index === before) faults.push(`${feed} has sent ${index} twice`);
    else if (index < before) faults.push(`${feed} has sent ${index} after ${before}`);
  }
  const byIndex = new Map(expected.map(({ index, id }) => [index, id]));
  for (const { index, id } of sent)
    if (byIndex.get(index) !== id) faults.push(`${feed} has sent ${id} as ${index}, which is ${byIndex.get(index)}`);
  const indexes = new Set(sent.map(({ index }) => index));
  for (const { index } of expected) if (!indexes.has(index)) faults.push(`${feed} has not sent ${index}`);
  return faults;
};
