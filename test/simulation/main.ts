/** `npm run simulate -- --seed 4711` prints one life; `-- --seeds 1000 [--from 1]` runs many, and prints the seeds of those that keep not all promises. */
import { parseArgs } from 'node:util';
import { simulate } from './simulate.js';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, seeds: { type: 'string' }, from: { type: 'string', default: '1' } },
});

/** What is of the machine, or of real time, is not on standard output. */
const tell = (line: string): boolean => process.stderr.write(`${line}\n`);

const one = async (seed: number): Promise<number> => {
  const { trace, broken } = await simulate(seed);
  process.stdout.write(trace.map((line) => `${line}\n`).join(''));
  return broken.length;
};

const many = async (from: number, seeds: number): Promise<number> => {
  const totals = new Map<string, number>();
  const began = performance.now();
  let failed = 0;
  for (let done = 0; done < seeds; done += 1) {
    const { broken, counts } = await simulate(from + done);
    for (const [what, count] of Object.entries(counts)) totals.set(what, (totals.get(what) ?? 0) + count);
    if (broken.length > 0) failed += 1;
    for (const line of broken) process.stdout.write(`${from + done} ${line}\n`);
    if (done % 50 === 49)
      tell(`${done + 1} seeds, ${(((done + 1) * 1_000) / (performance.now() - began)).toFixed(1)} a second`);
  }
  for (const [what, count] of [...totals].toSorted()) process.stdout.write(`${what}: ${count}\n`);
  return failed;
};

const failed =
  values.seed === undefined
    ? await many(Number(values.from), Number(values.seeds ?? 100))
    : await one(Number(values.seed));
process.exitCode = failed === 0 ? 0 : 1;
