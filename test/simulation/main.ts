/**
 * `npm run simulate -- --seed 4711` prints one life. `-- --seeds 1000` runs many, and prints those that keep not all promises: seeds
 * from `--from` on, or with `--commit` those of a commit. `--clients` and `--faults` have lives with less of them.
 */
import { parseArgs } from 'node:util';
import { drawSeeds, hashOf } from './seeds/drawn-seeds.js';
import { tellLives } from './seeds/tell-lives.js';
import { withWorkers } from './seeds/workers.js';
import { type Life, simulate } from './simulate.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    commit: { type: 'string' },
    clients: { type: 'string' },
    faults: { type: 'string' },
  },
});

const out = (line: string): void => void process.stdout.write(`${line}\n`);
const err = (line: string): void => void process.stderr.write(`${line}\n`);

const numberOf = (name: string, value: string): number => {
  if (!/^\d+$/u.test(value)) throw new Error(`--${name} is to be a number, and is ${value}`);
  return Number(value);
};

const life: Life = {
  ...(values.clients === undefined ? {} : { clients: numberOf('clients', values.clients) }),
  ...(values.faults === undefined ? {} : { faults: numberOf('faults', values.faults) }),
};

const seeds = (): ReadonlyArray<number> => {
  const many = numberOf('seeds', values.seeds);
  const from = numberOf('from', values.from);
  return values.commit === undefined
    ? Array.from({ length: many }, (_, index) => from + index)
    : drawSeeds(hashOf(values.commit), many);
};

const one = async (seed: number): Promise<number> => {
  const { trace, broken } = await simulate(seed, life);
  for (const line of trace) out(line);
  return broken.length;
};

const many = async (): Promise<number> => {
  const lives = seeds().map((seed) => ({ ...life, seed }));
  const { failed, counts } = await withWorkers((live) => tellLives(lives, { live, out, err }));
  for (const [what, count] of counts) out(`${what}: ${count}`);
  return failed;
};

try {
  const failed = values.seed === undefined ? await many() : await one(numberOf('seed', values.seed));
  process.exitCode = failed === 0 ? 0 : 1;
} catch (error) {
  err(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
