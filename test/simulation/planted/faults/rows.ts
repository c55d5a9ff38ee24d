import type { Edit, PlantedFault } from '../planted-fault.js';

const PROGRESS = 'projections/engine/run/progress.ts';
const COMPARISON = 'projections/engine/run/comparison.ts';
const ENTITIES = 'projections/engine/rows/apply-to-entities.ts';
const RUN = 'projections/engine/run/projector-run.ts';
const ROW_OR_FOLD = 'src/read/row-or-fold.ts';

const REFUSED_WRITES_COUNT: ReadonlyArray<Edit> = [
  {
    file: RUN,
    is: 'if (role === undefined) throw (await this.findEnd()) ?? leaseLost(name);',
    becomes: '',
  },
  {
    file: RUN,
    is: 'this.#setStatus({ role, checkpoint: to });',
    becomes: "this.#setStatus({ role: role ?? 'live', checkpoint: to });",
  },
];

/** Of how rows are written while the service runs, and of when they may be shown. */
export const faultsOfRows: ReadonlyArray<PlantedFault> = [
  {
    name: 'wait-for-a-row-true-at-once',
    harm: 'every change is answered as shown by lists',
    edits: [
      {
        file: PROGRESS,
        is: 'if (position <= reached) return Promise.resolve(true);',
        becomes: 'if (position >= 0n) return Promise.resolve(true);',
      },
    ],
  },
  {
    name: 'late-row-not-noted',
    harm: 'a process that has not heard of the log for a while shows a row that lacks an acknowledged change',
    edits: [
      {
        file: PROGRESS,
        is: '(noting ??= note(position).catch(() => undefined));',
        becomes: '(noting ??= Promise.resolve());',
      },
    ],
  },
  {
    name: 'unsure-rows-count-as-fresh',
    harm: 'what was noted of rows is not asked for while the log is silent',
    edits: [
      {
        file: ROW_OR_FOLD,
        is: "await readRow(id, rows === 'Unsure');",
        becomes: 'await readRow(id, false);',
      },
    ],
  },
  {
    name: 'row-that-is-behind-shown',
    harm: 'a record is shown as its row is, although the row is known to lack changes',
    edits: [
      {
        file: ROW_OR_FOLD,
        is: "const row = rows === 'Behind' ? undefined : await readRow(id, rows === 'Unsure');",
        becomes: "const row = isNow ? await readRow(id, rows === 'Unsure') : undefined;",
      },
    ],
  },
  {
    name: 'comparison-dated-by-its-answer',
    harm: 'a process that stood still while the head of the log was on its way takes its rows for fresh',
    edits: [
      {
        file: COMPARISON,
        is: 'unshown.push({ ...asked, position });',
        becomes: 'unshown.push({ ...asked, at: clock.monotonic(), position });',
      },
    ],
  },
  {
    name: 'rows-fresh-for-longer-than-others-wait',
    harm: 'a process counts on rows for longer than the others hold back what these lack',
    edits: [
      { file: COMPARISON, is: 'clock.monotonic() - at < FRESH_MS;', becomes: 'clock.monotonic() - at < 4 * FRESH_MS;' },
    ],
  },
  {
    name: 'cache-forgets-a-batch',
    harm: 'the entities of a batch are forgotten while the rows of others are read, and their changes folded onto nothing',
    given: [
      { file: ENTITIES, is: 'const CACHE = { entities: 2_500,', becomes: 'const CACHE = { entities: 1,' },
      { file: ENTITIES, is: 'LARGE_CACHE = { entities: 25_000,', becomes: 'LARGE_CACHE = { entities: 1,' },
      { file: 'projections/engine/rows/catch-up.ts', is: 'LONG = { events: 5_000,', becomes: 'LONG = { events: 5,' },
    ],
    edits: [
      {
        file: ENTITIES,
        is: 'return (id) => held.get(id) ?? found?.get(id);',
        becomes: 'return (id) => known(id) ?? found?.get(id);',
      },
    ],
  },
  {
    name: 'unwritten-entities-not-known',
    harm: 'an event is folded onto the row as it was before the batch that is just being written',
    given: [
      { file: ENTITIES, is: 'const CACHE = { entities: 2_500,', becomes: 'const CACHE = { entities: 1,' },
      { file: ENTITIES, is: 'LARGE_CACHE = { entities: 25_000,', becomes: 'LARGE_CACHE = { entities: 1,' },
      { file: 'projections/engine/rows/catch-up.ts', is: 'LONG = { events: 5_000,', becomes: 'LONG = { events: 5,' },
    ],
    edits: [{ file: ENTITIES, is: 'unwritten.get(id) ?? cache.get(id);', becomes: 'cache.get(id);' }],
  },
  {
    name: 'decision-of-another-append-taken',
    harm: 'a row shows what a process had decided that was never stored, because another one has carried out the same command',
    edits: [
      {
        file: 'src/event-sourcing/decisions.ts',
        is: 'return decision?.metadata === metadata ? decision : undefined;',
        becomes: 'return metadata === undefined ? undefined : decision;',
      },
    ],
  },
  {
    name: 'write-that-was-refused-counts',
    harm: 'a projector that has lost its lease says that its rows show what it has not written',
    edits: REFUSED_WRITES_COUNT,
  },
  {
    name: 'renewal-of-a-lost-lease-ignored',
    harm: 'a process goes on as the one that writes the rows after another one has taken the lease',
    edits: [
      {
        file: 'projections/engine/generation/while-held.ts',
        is: 'if (renewed?.fencing !== fencing) over.abort(leaseLost(name));',
        becomes: '',
      },
      ...REFUSED_WRITES_COUNT,
    ],
  },
  {
    name: 'lease-not-renewed',
    harm: 'the rows change hands every few seconds, and nobody writes them in between',
    edits: [
      {
        file: 'projections/engine/generation/while-held.ts',
        is: 'const RENEW_MS = 500;',
        becomes: 'const RENEW_MS = 5_000;',
      },
    ],
  },
  {
    name: 'checkpoint-said-before-it-is-written',
    harm: 'rows are said to show a batch while it is being written',
    edits: [
      {
        file: RUN,
        is: 'const role = await (await prepare(events)).write({ from: this.#stored, to, mustBeLive });',
        becomes: `this.#setStatus({ ...this.#status, checkpoint: to });
      const role = await (await prepare(events)).write({ from: this.#stored, to, mustBeLive });`,
      },
    ],
  },
  {
    name: 'subscription-begins-one-late',
    harm: 'the event behind the checkpoint is left out of the rows when a process begins to write them',
    edits: [
      {
        file: RUN,
        is: 'const range = { after: this.#status.checkpoint, categories: categoriesOf(projection) };',
        becomes: `const { checkpoint: last } = this.#status;
    const range = { after: last === 'start' ? last : { ...last, commit: last.commit + 1n }, categories: categoriesOf(projection) };`,
      },
      {
        file: RUN,
        is: 'await resumeEntities({ ...writer, projection }, this.#deps, range.after)',
        becomes: 'await resumeEntities({ ...writer, projection }, this.#deps, last)',
      },
    ],
  },
  {
    name: 'merged-batch-loses-its-first-events',
    harm: 'what came while a batch was written is written in part',
    edits: [
      {
        file: 'projections/engine/rows/merge-batches.ts',
        is: 'events: batches.flatMap(({ events }) => events),',
        becomes:
          'events: batches.length > 2 ? batches.slice(1).flatMap(({ events }) => events) : batches.flatMap(({ events }) => events),',
      },
    ],
  },
  {
    name: 'ledger-not-numbered-on',
    harm: 'rows of the ledger get the numbers of others',
    edits: [
      {
        file: 'projections/engine/ledger/apply-to-ledger.ts',
        is: '      ({ end } = folded);\n',
        becomes: '      end ??= folded.end;\n',
      },
    ],
  },
  {
    name: 'tree-goes-on-from-an-older-edge',
    harm: 'the tree of the ledger has other leaves than its rows',
    edits: [
      {
        file: 'projections/engine/ledger/apply-to-ledger.ts',
        is: 'end: { ...after, edge } };',
        becomes: 'end: { ...after, edge: rows.length > 1 ? before.edge : edge } };',
      },
    ],
  },
];
