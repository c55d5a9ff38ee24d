import { WHOLE_LIFE } from '../simulate.js';
import type { Live, Lived, OneLife } from './one-life.js';
import { shrink } from './shrink.js';

/** Of so many seeds that broke a promise it is looked for a smaller life that still breaks it. */
const SHRUNK = 10;
const TOLD_EACH = 50;

type Tell = {
  readonly live: Live;
  /** What the seeds alone decide. */
  readonly out: (line: string) => void;
  /** What is of the machine, or of real time. */
  readonly err: (line: string) => void;
};

type Told = {
  readonly passed: number;
  readonly failed: number;
  /** How often each kind of fault and of answer occurred. */
  readonly counts: ReadonlyMap<string, number>;
};

type Pair = readonly [OneLife, Lived];

const repeatOf = ({ seed, clients, faults, store }: OneLife): string =>
  [
    `npm run simulate -- --seed ${seed}`,
    ...(clients === undefined ? [] : [`--clients ${clients}`]),
    ...(faults === undefined ? [] : [`--faults ${faults}`]),
    ...(store === undefined ? [] : [`--store ${store}`]),
  ].join(' ');

/** A life as small as it may be that breaks the same kind of promise, and what that breaks. */
const smallerOf = async (live: Live, [life, { broken }]: Pair): Promise<Pair> => {
  const smaller = await shrink(broken[0] ?? '', { ...WHOLE_LIFE, ...life }, async (size) => {
    const tried = await live({ ...life, ...size });
    return tried.broken;
  });
  const found = { ...life, ...smaller };
  return [found, await live(found)];
};

const addUp = (all: ReadonlyArray<Pair>): ReadonlyMap<string, number> => {
  const totals = new Map<string, number>();
  for (const [, { counts }] of all)
    for (const [what, count] of Object.entries(counts)) totals.set(what, (totals.get(what) ?? 0) + count);
  return new Map([...totals].toSorted(([one], [other]) => (one < other ? -1 : 1)));
};

/** Has each life lived, tells which broke which promises and how to repeat it; and gives how often what occurred. */
export const tellLives = async (lives: ReadonlyArray<OneLife>, { live, out, err }: Tell): Promise<Told> => {
  const began = performance.now();
  let done = 0;
  const all = await Promise.all(
    lives.map(async (life): Promise<Pair> => {
      const lived = await live(life);
      const [first] = lived.broken;
      if (first !== undefined) err(`seed ${life.seed}: ${first}`);
      done += 1;
      if (done % TOLD_EACH === 0 || done === lives.length)
        err(`${done} of ${lives.length} seeds, ${((done * 1_000) / (performance.now() - began)).toFixed(1)} a second`);
      return [life, lived];
    }),
  );
  const failed = all.filter(([, { broken }]) => broken.length > 0);
  const told = failed.map(async (pair, index) => (index < SHRUNK ? smallerOf(live, pair) : pair));
  for (const [life, { broken }] of await Promise.all(told)) {
    const { clients, faults } = { ...WHOLE_LIFE, ...life };
    for (const line of broken) out(`${life.seed} clients=${clients} faults=${faults}: ${line}`);
    out(`  ${repeatOf(life)}`);
  }
  return { passed: all.length - failed.length, failed: failed.length, counts: addUp(all) };
};
