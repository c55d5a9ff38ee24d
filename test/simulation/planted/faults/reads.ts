import type { PlantedFault } from '../planted-fault.js';

const FEED = 'src/read/ledger-feed.ts';
const TAIL = 'src/read/ledger-tail.ts';
const HISTORY = 'src/read/history.ts';

/** Of what clients read. */
export const faultsOfReads: ReadonlyArray<PlantedFault> = [
  {
    name: 'feed-resumes-one-late',
    harm: 'a client that connects again misses the event behind the last one that it has',
    edits: [
      { file: FEED, is: 'let given = after ?? -1n;', becomes: 'let given = after === undefined ? -1n : after + 1n;' },
    ],
  },
  {
    name: 'feed-repeats-what-it-has-replayed',
    harm: 'an event that comes while the feed begins is given twice',
    edits: [
      {
        file: FEED,
        is: 'first.index <= given ? entries.filter(({ index }) => index > given) : entries;',
        becomes: 'first.index > given ? entries.filter(({ index }) => index > given) : entries;',
      },
    ],
  },
  {
    name: 'feed-watches-after-it-has-read',
    harm: 'an event that comes while the feed begins is never given',
    edits: [
      {
        file: FEED,
        is: 'const watcher = tail.watch(filter, known, onTooSlow);',
        becomes: 'let watcher = tail.watch(filter, known, onTooSlow);',
      },
      {
        file: FEED,
        is: 'const isNear = isLast || given >= watcher.from;',
        becomes: `watcher.leave();
          watcher = tail.watch(filter, given, onTooSlow);
          const isNear = isLast || given >= watcher.from;`,
      },
    ],
  },
  {
    name: 'tail-asks-how-far-the-rows-are-after-it-has-read',
    harm: 'an event that comes while the rows are read is given only when another one comes',
    edits: [
      { file: TAIL, is: '      const reached = progress.reached();\n', becomes: '' },
      {
        file: TAIL,
        is: '      this.#give(read.right.rows);\n',
        becomes: '      const reached = progress.reached();\n      this.#give(read.right.rows);\n',
      },
    ],
  },
  {
    name: 'as-of-a-revision-one-early',
    harm: 'a record as it was at a revision is shown as it was before that',
    edits: [
      {
        file: HISTORY,
        is: 'limit: Number(asOf.revision) + 1 }',
        becomes: 'limit: Math.max(1, Number(asOf.revision)) }',
      },
      {
        file: HISTORY,
        is: "const isBeyond = asOf._tag === 'AtRevision' && then?.revision !== asOf.revision;",
        becomes: 'const isBeyond = then === undefined;',
      },
    ],
  },
  {
    name: 'as-of-a-time-without-that-time',
    harm: 'a record as it was at the time of a change is shown without that change',
    edits: [{ file: HISTORY, is: 'new Date(metadata.at) > asOf.at', becomes: 'new Date(metadata.at) >= asOf.at' }],
  },
];
