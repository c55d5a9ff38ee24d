/**
 * `npm run simulate -- --seed 4711` prints one life. `-- --seeds 1000` runs many, and prints those that keep not all promises: seeds
 * from `--from` on, or with `--commit` those of a commit. `--clients` and `--faults` have lives with less of them; `--store` says where
 * they keep their read models.
 */
import { parseArgs } from 'node:util';
import { drawSeeds, hashOf } from './seeds/drawn-seeds.js';
import { tellLives } from './seeds/tell-lives.js';
import { withWorkers } from './seeds/workers.js';
import { type Life, simulate } from './simulate.js';
import { openStores } from './stores/open-stores.js';
import { withPostgres } from './stores/postgres-server.js';
import { type StoreName, STORES } from './stores/stores.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    commit: { type: 'string' },
    clients: { type: 'string' },
    faults: { type: 'string' },
    store: { type: 'string', default: 'memory' },
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

const storeNamed = (name: string): StoreName => {
  const store = STORES.find((each) => each === name);
  if (store === undefined) throw new Error(`--store is to be one of ${STORES.join(', ')}, and is ${name}`);
  return store;
};

const one = async (seed: number, store: StoreName, server: string | undefined): Promise<number> => {
  const stores = openStores(server);
  try {
    const { trace, broken } = await simulate(seed, life, await stores.of(store));
    for (const line of trace) out(line);
    return broken.length;
  } finally {
    await stores.close();
  }
};

const many = async (store: StoreName, server: string | undefined): Promise<number> => {
  const over = store === 'memory' ? {} : { store };
  const lives = seeds().map((seed) => ({ ...life, ...over, seed }));
  const { failed, counts } = await withWorkers((live) => tellLives(lives, { live, out, err }), server);
  for (const [what, count] of counts) out(`${what}: ${count}`);
  return failed;
};

try {
  const store = storeNamed(values.store);
  const { seed } = values;
  const run = (server?: string): Promise<number> =>
    seed === undefined ? many(store, server) : one(numberOf('seed', seed), store, server);
  const failed = await (store === 'memory' ? run() : withPostgres(run));
  process.exitCode = failed === 0 ? 0 : 1;
} catch (error) {
  err(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
