import type { Notebook } from './notebook.js';
import type { Luck, Mishap, Outage } from './way.js';
import type { SimulatedProcess, World } from './world.js';

/** What the processes of a cluster share. The queries and the seal are in the database of the rows. */
export const PLACES = ['log', 'rows', 'files'] as const;
export type Place = (typeof PLACES)[number];

/** Of so many calls one gets no answer, though it took effect. */
const LOST = 300;
/** Of so many calls to a place that is slow one is late, and by how much at most, ms. */
const [LATE, LATE_MS] = [4, 2_000];
/** How long it is silent before a connection is lost, ms. */
const SILENT_MS = 2_000;

/** Which calls write: those that a full disk refuses. */
const WRITES: Readonly<Record<Place, ReadonlySet<string>>> = {
  log: new Set(['append']),
  rows: new Set(
    ['write rows', 'write ledger', 'writeWithParking', 'writeTiles', 'change', 'rewrite', 'noteAcknowledged'].concat([
      'record checkpoint',
      'note',
      'store keys',
      'replace keys',
      'eraseLedger',
    ]),
  ),
  files: new Set(['put', 'add']),
};

/** Which are one message: the others need their process before they take effect, and have none when that has given up. */
const ALONE: ReadonlySet<string> = new Set([
  'append',
  'write rows',
  'write ledger',
  'step',
  'acquire',
  'release',
  'put',
]);

/** What keeps a process, or all of them, from one place: until when. */
type Trouble = { awayUntil: number; isSilent: boolean; slowUntil: number; fullUntil: number; brokenOffUntil: number };

const noTrouble = (): Trouble => ({
  ...{ awayUntil: 0, isSilent: false },
  ...{ slowUntil: 0, fullUntil: 0, brokenOffUntil: 0 },
});
const noTroubles = (): Record<Place, Trouble> => ({ log: noTrouble(), rows: noTrouble(), files: noTrouble() });

/** A mishap of the call of that name which comes after so many others; of any call without a name. */
type Ambush = { readonly name: string | undefined; skipped: number; readonly mishap: (name: string) => Mishap };

type Own = { readonly troubles: Record<Place, Trouble>; readonly ambushes: Set<Ambush> };

/** Of one process; of all without it. */
type Whose = SimulatedProcess | undefined;

type LuckAt = Luck & {
  /** Whether an upload ends in its midst. */
  readonly breaksOff: () => boolean;
};

export type Troubles = {
  /** `who`: as a trace names the process. */
  readonly luckOf: (who: string, process: SimulatedProcess, place: Place) => LuckAt;
  readonly keepAway: (whose: Whose, place: Place, outage: Outage) => void;
  readonly slowDown: (whose: Whose, place: Place, until: number) => void;
  readonly fill: (place: Place, until: number) => void;
  /** Most uploads end in their midst. */
  readonly breakOff: (process: SimulatedProcess, until: number) => void;
  /** Gives what ends it. */
  readonly lieInWait: (process: SimulatedProcess, ambush: Ambush) => () => void;
  /** Whether answers are lost, now and then. */
  readonly setLossy: (isLossy: boolean) => void;
};

/** What goes wrong between processes and what they share. */
export const makeTroubles = (world: World, { say, count }: Pick<Notebook, 'say' | 'count'>): Troubles => {
  const { fraction } = world.begin().random;
  const shared = noTroubles();
  const owns = new Map<SimulatedProcess, Own>();
  let isLossy = false;
  const untilLost = (): number => Math.ceil(fraction() * 2 * LOST);
  const left = { log: untilLost(), rows: untilLost(), files: untilLost() };

  const ownOf = (process: SimulatedProcess): Own => {
    const own = owns.get(process) ?? { troubles: noTroubles(), ambushes: new Set() };
    owns.set(process, own);
    return own;
  };
  const troubleOf = (whose: Whose, place: Place): Trouble =>
    whose === undefined ? shared[place] : ownOf(whose).troubles[place];

  const luckOf: Troubles['luckOf'] = (who, process, place) => {
    const { troubles, ambushes } = ownOf(process);
    const all = [shared[place], troubles[place]] as const;
    const [everybody, own] = all;

    const ambushed = (name: string): Mishap | undefined => {
      for (const ambush of ambushes)
        if (ambush.name === undefined || ambush.name === name) {
          ambush.skipped -= 1;
          if (ambush.skipped >= 0) continue;
          ambushes.delete(ambush);
          return ambush.mishap(name);
        }
      return undefined;
    };

    const note = (what: string, name: string): void => {
      count(what);
      say(`${who}: ${what} (${name})`);
    };

    const lost = (name: string): Mishap | undefined => {
      left[place] -= 1;
      if (left[place] > 0) return undefined;
      left[place] = untilLost();
      if (ALONE.has(name) && fraction() < 0.3) {
        note(`a call to the ${place} takes effect after it was given up`, name);
        return { _tag: 'Lost', ms: 0, lateMs: fraction() * SILENT_MS };
      }
      note(`an answer of the ${place} is lost`, name);
      // what is noted next waits for it, and must not be late: see `hinders` of the faults
      const isAtOnce = name === 'noteAcknowledged' || fraction() < 0.5;
      return { _tag: 'Lost', ms: isAtOnce ? 0 : fraction() * SILENT_MS, lateMs: 0 };
    };

    return {
      outage: () => {
        const now = world.now();
        if (everybody.awayUntil > now && everybody.awayUntil >= own.awayUntil)
          return { until: everybody.awayUntil, isSilent: everybody.isSilent };
        return own.awayUntil > now ? { until: own.awayUntil, isSilent: own.isSilent } : undefined;
      },
      mishap: (name) => {
        const now = world.now();
        const sprung = ambushes.size > 0 ? ambushed(name) : undefined;
        if (sprung !== undefined) return sprung;
        if (everybody.fullUntil > now && WRITES[place].has(name)) return { _tag: 'Full' };
        if (all.some(({ slowUntil }) => slowUntil > now) && fraction() * LATE < 1) {
          note(`an answer of the ${place} is late`, name);
          return { _tag: 'Late', ms: fraction() * LATE_MS, isRequest: fraction() < 0.5 };
        }
        return isLossy ? lost(name) : undefined;
      },
      comesLate: (name) => {
        if (!ALONE.has(name) || fraction() < 0.5) return false;
        note(`a call to the ${place} takes effect after it was given up`, name);
        return true;
      },
      breaksOff: () => {
        const isBrokenOff = isLossy && own.brokenOffUntil > world.now() && fraction() < 0.8;
        if (isBrokenOff) note('an upload ends half-way', 'put');
        return isBrokenOff;
      },
      onRepeated: (name) => {
        if (WRITES[place].has(name)) note(`a call to the ${place} is made twice`, name);
      },
    };
  };

  return {
    luckOf,
    keepAway: (whose, place, { until, isSilent }) => {
      const trouble = troubleOf(whose, place);
      if (until > trouble.awayUntil) Object.assign(trouble, { awayUntil: until, isSilent });
    },
    slowDown: (whose, place, until) => {
      const trouble = troubleOf(whose, place);
      trouble.slowUntil = Math.max(trouble.slowUntil, until);
    },
    fill: (place, until) => {
      shared[place].fullUntil = Math.max(shared[place].fullUntil, until);
    },
    breakOff: (process, until) => {
      const { files } = ownOf(process).troubles;
      files.brokenOffUntil = Math.max(files.brokenOffUntil, until);
    },
    lieInWait: (process, ambush) => {
      const { ambushes } = ownOf(process);
      ambushes.add(ambush);
      return () => void ambushes.delete(ambush);
    },
    setLossy: (now) => {
      isLossy = now;
    },
  };
};
