/**
 * Plants faults into a copy of the program, one at a time, and has the simulation find them:
 *
 *   npm run simulate:planted [-- NAME… --seeds 2000 --from 1 --jobs 2]
 *   npm run simulate:planted -- --list
 *
 * Ends with 0 when each was found.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { withPostgres } from '../stores/postgres-server.js';
import { type Found, makeFinder } from './find-fault.js';
import type { PlantedFault } from './planted-fault.js';
import { plantedFaults } from './planted-faults.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
});

// so that the copies are removed then, too
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const shown = (found: Found): string => {
  switch (found._tag) {
    case 'Found':
      return `found ${found.seed} ${found.broken}`;
    case 'NotFound':
      return `not found in ${found.seeds} seeds`;
    case 'NoPlace':
      return `not planted: ${found.reason}`;
  }
};

/** Whether each fault was found. */
const findAll = async (faults: ReadonlyArray<PlantedFault>, server?: string): Promise<boolean> => {
  const left = [...faults];
  let isEachFound = true;
  const findSome = async (): Promise<void> => {
    const finder = await makeFinder(server);
    try {
      for (let fault = left.shift(); fault !== undefined; fault = left.shift()) {
        const found = await finder.find(fault, Number(values.from), Number(values.seeds));
        isEachFound &&= found._tag === 'Found';
        process.stdout.write(`${fault.name} ${shown(found)}\n`);
      }
    } finally {
      finder.remove();
    }
  };
  await Promise.all(Array.from({ length: Math.min(Number(values.jobs), left.length) }, findSome));
  return isEachFound;
};

const unknown = positionals.filter((wanted) => !plantedFaults.some(({ name }) => name === wanted));
if (values.list) for (const { name, harm } of plantedFaults) process.stdout.write(`${name}: ${harm}\n`);
else if (unknown.length > 0) {
  process.stderr.write(`no planted fault is called ${unknown.join(' or ')}: see --list\n`);
  process.exitCode = 2;
} else {
  const wanted = plantedFaults.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const isEachFound = wanted.some(({ store }) => store === 'postgres')
    ? await withPostgres((server) => findAll(wanted, server))
    : await findAll(wanted);
  process.exitCode = isEachFound ? 0 : 1;
}
