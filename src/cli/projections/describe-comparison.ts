import type { Compared } from '../../../projections/engine/rebuild/compare-with-live.js';
import type { Difference } from '../../../projections/engine/rebuild/difference.js';
import { counted } from '../plural.js';

/** How many differences are shown; the report has all of them. */
export const SHOWN = 10;

/** One line, without the values, which may be private; the report has them. */
const lineOf = (difference: Difference): string => {
  switch (difference._tag) {
    case 'OnlyLive':
      return `  ${difference.id}  only in the live rows`;
    case 'OnlyRebuilt':
      return `  ${difference.id}  only in the rebuilt rows`;
    case 'Differs':
      return `  ${difference.id}  ${difference.fields.join(', ')}`;
  }
};

/** What a comparison found, in lines for a person. */
export const describeComparison = (compared: Compared): ReadonlyArray<string> => {
  const { rows, onlyLive, onlyRebuilt, differing, first, at } = compared;
  const total = onlyLive + onlyRebuilt + differing;
  const where = at < 0n ? 'at the start of the log' : `at position ${at} of the log`;
  if (total === 0)
    return [`compared ${counted(rows.live, 'row')} ${where}: ${rows.live === 1 ? 'it is' : 'all are'} the same`];
  return [
    `compared ${rows.live} live and ${counted(rows.rebuilt, 'rebuilt row')} ${where}: ${counted(total, 'is', 'are')} not the same ` +
      `(${counted(differing, 'differs', 'differ')}, ${onlyLive} only live, ${onlyRebuilt} only rebuilt)`,
    ...first.map(lineOf),
    ...(total > first.length ? [`  and ${total - first.length} more`] : []),
  ];
};
