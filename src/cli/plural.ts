/** A count with its noun: `1 event`, `2 events`; `plural` where it is not the noun with an `s`. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;
