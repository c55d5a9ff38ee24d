/**
 * An hour of mixed load, a fifth of it aborted, and what the service's memory, descriptors, connections and files do
 * meanwhile: `npm run soak -- --minutes 60`, with `--clients`, `--seed` and `--json FILE`. Some hundred requests a second,
 * a third of them writes; the log grows by some 100,000 events in an hour and the files by some 500 MiB, while as many
 * records are there at the end as at the beginning. Ends with 1 when something grows, the process ends, or a request
 * is answered as it should not be. Needs Linux.
 */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Growth, growthOf, type Sample } from './soak/growth.js';
import { type Load, startLoad } from './soak/load.js';
import { startTarget, type Target } from './support/target.js';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    clients: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    json: { type: 'string' },
  },
});
const minutes = Number(options.minutes);
const seed = Number(options.seed);

const INTERVAL = 10; // s
/** Garbage is collected with one sample in so many. */
const AT_REST = 6;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const sampleOf = async (target: Target, seconds: number, isAtRest: boolean): Promise<Sample> => {
  const { used, external } = await target.heap();
  const figures = { ...target.held(), heap: used, external };
  if (!isAtRest) return { seconds, figures, live: undefined };
  const atRest = await target.figuresAtRest();
  return { seconds, figures, live: atRest.heap + atRest.external };
};

const printSample = ({ seconds, figures, live }: Sample, { seen }: Load): void => {
  const { rss, heap, external, descriptors, postgres, unfinishedFiles } = figures;
  print(
    `${Math.round(seconds / 60)} min: ${seen.requests} requests; RSS ${rss} MiB, heap ${heap}, external ${external}, live ` +
      `${live}; ${descriptors} descriptors, ${postgres} Postgres connections, ${unfinishedFiles} unfinished files`,
  );
};

/** Samples until the time is over or the process has ended. */
const watch = async (target: Target, load: Load): Promise<ReadonlyArray<Sample>> => {
  const samples: Array<Sample> = [];
  const began = performance.now();
  for (let count = 1; count * INTERVAL <= minutes * 60; count += 1) {
    await delay(began + count * INTERVAL * 1_000 - performance.now());
    if (target.death() !== undefined) break;
    const isAtRest = count % AT_REST === 0;
    samples.push(await sampleOf(target, count * INTERVAL, isAtRest));
    if (isAtRest) printSample(samples.at(-1)!, load);
  }
  return samples;
};

const rounded = (value: number): string => value.toFixed(1);

const growthTable = (growths: ReadonlyArray<Growth>): string =>
  [
    ['figure', 'first', 'last', 'highest', 'an hour, second half', 'limit', 'verdict'],
    ['---', '---', '---', '---', '---', '---', '---'],
    ...growths.map(({ figure, first, last, highest, perHour, error, limit, grows }) => [
      ...[figure, String(first), String(last), String(highest), `${rounded(perHour)} ± ${rounded(error)}`],
      ...[String(limit), grows ? 'grows' : 'holds'],
    ]),
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

const run = async (dataDir: string): Promise<boolean> => {
  const target = await startTarget(dataDir);
  try {
    print(`${options.clients} clients for ${minutes} minutes, seed ${seed}`);
    const load = startLoad({ address: target.address, clients: Number(options.clients), seed });
    const samples = await watch(target, load);
    await load.stop();
    const growth = growthOf(samples);
    const death = target.death();
    const { requests, aborted, kinds, errors } = load.seen;
    print(growthTable(growth));
    print(`${requests} requests; aborted ${JSON.stringify(aborted)}; others ${JSON.stringify(kinds)}`);
    for (const [error, count] of Object.entries(errors)) print(`not expected: ${count} × ${error}`);
    if (death !== undefined) print(`the process ended: ${death}`);
    if (options.json !== undefined)
      writeFileSync(
        options.json,
        `${JSON.stringify({ seed, minutes, growth, death, ...load.seen, samples }, null, 1)}\n`,
      );
    return death === undefined && Object.keys(errors).length === 0 && growth.every(({ grows }) => !grows);
  } finally {
    await target.stop();
  }
};

const dataDir = await mkdtemp(path.join(tmpdir(), 'soak-'));
try {
  process.exitCode = (await run(dataDir)) ? 0 : 1;
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
