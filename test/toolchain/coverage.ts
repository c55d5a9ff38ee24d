/**
 * How many lines of the product the tests ran, in all and by folder: `npm run coverage`. Reads what V8 counted in the
 * folder that is given, by `NODE_V8_COVERAGE`; a file that no process loaded counts, too.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

type Lines = { readonly total: number; readonly covered: number };
/** As the reporter `json-summary` writes it: by the path of the file, beside a `total`. */
type Summary = Readonly<Record<string, { readonly lines: Lines }>>;

const PRODUCT = ['src', 'projections'];

const summaryOf = async (counted: string): Promise<Summary> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'coverage-'));
  try {
    const sources = PRODUCT.flatMap((name) => ['--src', name, '--include', `${name}/**`]);
    const output = ['--reporter', 'json-summary', '--report-dir', folder];
    const args = ['node_modules/c8/bin/c8.js', 'report', '--all', '--exclude-after-remap'];
    await promisify(execFile)(process.execPath, [...args, ...sources, ...output, '--temp-directory', counted]);
    // reason: that is what the reporter writes
    return JSON.parse(await readFile(path.join(folder, 'coverage-summary.json'), 'utf8')) as Summary;
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** `src/http` of a file anywhere below it, `src` of one beside it. */
const folderOf = (file: string): string => path.dirname(path.relative('.', file)).split(path.sep).slice(0, 2).join('/');

const line = (name: string, all: ReadonlyArray<Lines>): string => {
  const [covered, total] = [
    all.reduce((sum, each) => sum + each.covered, 0),
    all.reduce((sum, each) => sum + each.total, 0),
  ];
  const percent = ((100 * covered) / total).toFixed(1);
  return `${percent.padStart(6)} %  ${`${covered} of ${total}`.padStart(16)} lines  ${name}`;
};

const counted = process.argv[2];
if (counted === undefined) throw new Error('usage: coverage.ts FOLDER');
const files = Object.entries(await summaryOf(counted)).filter(([file]) => file !== 'total');
const names = [...new Set(files.map(([file]) => folderOf(file)))].toSorted();
for (const name of [...names, 'all'])
  console.log(
    line(
      name,
      files.flatMap(([file, { lines }]) => (name === 'all' || folderOf(file) === name ? [lines] : [])),
    ),
  );
