/**
 * `npm run simulate:ci`: 2,000 seeds of a commit (`--commit`, that of this checkout) and all that once broke a promise; and the first
 * 100 of them over Postgres, too, each answer of which is compared with that of memory. Counted.
 */
import { parseArgs } from 'node:util';
import { drawSeeds, hashOf } from './seeds/drawn-seeds.js';
import { keptSeeds } from './seeds/kept-seeds.js';
import { MUST_OCCUR } from './seeds/must-occur.js';
import type { OneLife } from './seeds/one-life.js';
import { tellLives } from './seeds/tell-lives.js';
import { withWorkers } from './seeds/workers.js';
import { withPostgres } from './stores/postgres-server.js';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    compared: { type: 'string', default: '100' },
    commit: { type: 'string', default: 'HEAD' },
  },
});

const out = (line: string): void => void process.stdout.write(`${line}\n`);
const err = (line: string): void => void process.stderr.write(`${line}\n`);

const commit = hashOf(values.commit);
const kept = keptSeeds();
const drawn = drawSeeds(commit, Number(values.seeds));
const compared = drawn.slice(0, Number(values.compared));
out(
  `seeds of ${commit}: ${drawn.length}, and ${kept.length} that once broke a promise; ${compared.length} over Postgres, too`,
);
const lives: ReadonlyArray<OneLife> = [
  // these take longest
  ...compared.map((seed) => ({ seed, store: 'both' as const })),
  ...[...drawn, ...kept].map((seed) => ({ seed })),
];
const { passed, failed, counts } = await withPostgres((server) =>
  withWorkers((live) => tellLives(lives, { live, out, err }), server),
);
for (const [what, count] of counts) out(`${what}: ${count}`);
const missing = MUST_OCCUR.filter((what) => !counts.has(what));
for (const what of missing) out(`${what}: 0, and it must occur`);
// as mocha counts
out(`\n  ${passed + MUST_OCCUR.length - missing.length} passing`);
if (failed + missing.length > 0) out(`  ${failed + missing.length} failing`);
process.exitCode = failed + missing.length === 0 ? 0 : 1;
