/** `npm run simulate:ci`: 2,000 seeds of a commit (`--commit`, that of this checkout) and all that once broke a promise, counted. */
import { parseArgs } from 'node:util';
import { drawSeeds, hashOf } from './seeds/drawn-seeds.js';
import { keptSeeds } from './seeds/kept-seeds.js';
import { MUST_OCCUR } from './seeds/must-occur.js';
import { tellLives } from './seeds/tell-lives.js';
import { withWorkers } from './seeds/workers.js';

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '2000' }, commit: { type: 'string', default: 'HEAD' } },
});

const out = (line: string): void => void process.stdout.write(`${line}\n`);
const err = (line: string): void => void process.stderr.write(`${line}\n`);

const commit = hashOf(values.commit);
const kept = keptSeeds();
out(`seeds of ${commit}: ${values.seeds}, and ${kept.length} that once broke a promise`);
const lives = [...drawSeeds(commit, Number(values.seeds)), ...kept].map((seed) => ({ seed }));
const { passed, failed, counts } = await withWorkers((live) => tellLives(lives, { live, out, err }));
for (const [what, count] of counts) out(`${what}: ${count}`);
const missing = MUST_OCCUR.filter((what) => !counts.has(what));
for (const what of missing) out(`${what}: 0, and it must occur`);
// as mocha counts
out(`\n  ${passed + MUST_OCCUR.length - missing.length} passing`);
if (failed + missing.length > 0) out(`  ${failed + missing.length} failing`);
process.exitCode = failed + missing.length === 0 ? 0 : 1;
