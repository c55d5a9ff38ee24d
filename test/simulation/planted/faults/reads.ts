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
    name: 'size-of-what-a-feed-has-given-kept',
    harm: 'a feed is cut as too slow after it has given so much in all',
    given: [{ file: TAIL, is: 'const MOST_WAITING = 1024 * 1024;', becomes: 'const MOST_WAITING = 4 * 1024;' }],
    edits: [{ file: TAIL, is: '    this.#waiting = [];\n    this.#size = 0;\n', becomes: '    this.#waiting = [];\n' }],
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
  {
    name: 'history-shows-more-than-its-tag-says',
    harm: 'a history shows events that came after the revision by which it is tagged',
    edits: [
      {
        file: 'src/read/entity-events.ts',
        is: '(events.at(-1)?.revision ?? 0n) <= newest ? events : events.filter(({ revision }) => revision <= newest);',
        becomes:
          '(events.at(-1)?.revision ?? 0n) <= newest ? events : events.filter(({ revision }) => revision >= 0n);',
      },
    ],
  },
];
