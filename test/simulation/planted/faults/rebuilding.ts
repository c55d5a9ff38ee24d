import type { PlantedFault } from '../planted-fault.js';

const CATCH_UP = 'projections/engine/rows/catch-up.ts';
const REBUILDING = 'projections/engine/rebuild/rebuilding.ts';
const RUN = 'projections/engine/run/projector-run.ts';
const OPEN = 'projections/engine/generation/open-generation.ts';
const HELD = 'projections/engine/generation/while-held.ts';

/** Of rows that are made beside those that are live, and take their place. */
export const faultsOfRebuilding: ReadonlyArray<PlantedFault> = [
  {
    name: 'rebuild-always-level',
    harm: 'rows become the live ones that lack what the live ones show',
    edits: [
      {
        file: REBUILDING,
        is: "if (to === 'start' || commitOf(from) > to.commit) return undefined;",
        becomes: 'return { to: from, write: undefined };',
      },
      {
        file: REBUILDING,
        is: '      // the newest event in the live rows, and no later one, is the last that these lack\n      const end = events.findIndex(({ id }) => id === newest?.id);\n      if (end === -1 && newest?.id !== own.last?.id) return undefined;\n      const tail = events.slice(0, end + 1);\n      return { to, write: foldNow({ from, to, last: tail.at(-1) }, tail) };\n',
        becomes: '',
      },
    ],
  },
  {
    name: 'newest-event-left-out-of-the-last-step',
    harm: 'a rebuild lacks the newest event when it becomes live, and no later one makes up for it',
    edits: [
      {
        file: REBUILDING,
        is: 'const tail = events.slice(0, end + 1);',
        becomes: 'const tail = events.slice(0, Math.max(0, end));',
      },
    ],
  },
  {
    name: 'new-version-live-before-it-is-level',
    harm: 'a new version of a read model becomes live while it lacks what the one before shows',
    edits: [
      {
        file: RUN,
        is: 'if (!isAtLeast(reached, live) && head !== undefined && reached < head) return undefined;',
        becomes: '',
      },
    ],
  },
  {
    name: 'versions-take-turns',
    harm: 'two versions that run at the same time replace each other again and again',
    edits: [
      {
        file: RUN,
        is: "if (this.#status.role === 'previous' && live?.holder !== undefined) return undefined;",
        becomes: '',
      },
    ],
  },
  {
    name: 'rows-dropped-that-are-written',
    harm: 'a process that begins drops the rows that another version writes',
    edits: [
      {
        file: RUN,
        is: 'each.holder === undefined && !each.isEvidence && each.name !== name && each !== live;',
        becomes: '!each.isEvidence && each.name !== name;',
      },
    ],
  },
  {
    name: 'replacement-not-looked-for',
    harm: 'after a rebuild, on a quiet log, nobody writes the rows that are live',
    edits: [
      {
        file: RUN,
        is: "if (wasLive && now?.role !== 'live') return replaced(name);",
        becomes: '',
      },
    ],
  },
  {
    name: 'replaced-rows-written-on',
    harm: 'rows that were replaced get ahead of those that are live, and nobody can switch back to them',
    edits: [
      { file: RUN, is: "const mustBeLive = this.#status.role === 'live';", becomes: 'const mustBeLive = false;' },
      {
        file: RUN,
        is: "if (wasLive && now?.role !== 'live') return replaced(name);",
        becomes: '',
      },
    ],
  },
  {
    name: 'rows-of-another-version-resumed',
    harm: 'a rebuild goes on with rows that another version of the program has begun',
    edits: [
      {
        file: OPEN,
        is: 'newest?.version === versionOf(projection) && newest.logIdentity === logIdentity',
        becomes: 'newest?.logIdentity === logIdentity',
      },
    ],
  },
  {
    name: 'lost-lease-ignored-when-catching-up',
    harm: 'a rebuild whose rows another command has taken goes on with them, and switches to them',
    edits: [
      {
        file: HELD,
        is: 'if (renewed?.fencing !== fencing) over.abort(leaseLost(name));',
        becomes: '',
      },
      {
        file: REBUILDING,
        is: '{ lease, isBrief: true },',
        becomes: '{ isBrief: true },',
      },
      {
        file: CATCH_UP,
        is: 'if ((await batch.write(step)) === undefined) throw leaseLost(generation.name);',
        becomes: 'await batch.write(step);',
      },
    ],
  },
  {
    name: 'ledger-end-kept-after-a-last-step',
    harm: 'a rebuilt ledger goes on from where it was before the last step, or from where that was not written',
    edits: [
      {
        file: 'projections/engine/ledger/apply-to-ledger.ts',
        is: '      end = undefined;\n',
        becomes: '      end = before;\n',
      },
    ],
  },
];
