import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { makeApi } from '../support/api.js';
import { type EventStoreDbDouble, startDouble } from '../support/eventstoredb-double/double.js';
import { untilSigned } from '../support/until-signed.js';
import { operatorProgram, runOperator } from '../support/operator.js';
import { type ServiceProcess, startService, tokenFor } from '../support/service-process.js';

const NAMED = /(?:`|^|DATA_DIR=\.\.\/restored )(?:npx --no-install )?ops ((?:[a-z]|--)[^`#|\n]*)/gm;

/** Every command of the operator that the pages name, as they name it. Sorted: `log import` reads what `log export` writes. */
const namedCommands = async (): Promise<ReadonlyArray<string>> => {
  const below = (await readdir('docs')).filter((name) => name.endsWith('.md')).map((name) => path.join('docs', name));
  const texts = await Promise.all(['README.md', ...below].map((page) => readFile(page, 'utf8')));
  const all = texts.flatMap((text) => [...text.matchAll(NAMED)].map(([, command = '']) => command.trim()));
  return [...new Set(all)].sort();
};

/** What a page leaves to its reader. */
const PLACEHOLDERS: ReadonlyArray<readonly [string, string]> = [
  ['DIRECTORY', '../backup'],
  ['FILE', 'checkpoint'],
  ['…', 'tried'],
  ['[name]', 'businesses'],
  ['[stream]', 'business-$BUSINESS'],
  // it would show the status until somebody ends it
  [' [--watch]', ''],
];

/** What has to be said as well where a page only mentions a command. */
const COMPLETED: Readonly<Record<string, string>> = {
  'audit pack': 'audit pack business/$BUSINESS --out another.zip',
  backup: 'backup ../backup',
  'erase plan': 'erase plan business/$BUSINESS',
  'erase run': 'erase run document/$ERASED --basis tried --yes',
  'hold add': 'hold add business/$BUSINESS --reason tried',
  'hold release': 'hold release business/$BUSINESS --reason tried',
  'log copy': 'log copy --to "$EVENTSTOREDB"',
  'log copy --encrypt': 'log copy --encrypt --to "$EVENTSTOREDB"',
  'log import': 'log import log.ndjson',
  'log new-key': 'log new-key log.example.com/records',
  'log replace-key': 'log replace-key --reason tried',
  // it refuses while nothing calls for it
  'log restart-seal': 'log restart-seal --reason tried --force',
  'log restart-seal --reason tried': 'log restart-seal --reason tried --force',
  'reads prune': 'reads prune --before 2026-01-01T00:00:00Z',
  restore: 'restore ../backup',
  'restore --replace': 'restore --replace ../backup',
};

/** Some commands need a log whose data can be erased. */
const ENCRYPTED = { ERASURE: 'true' };

/** What fills a log of its own. */
const OTHER_LOG = ['log import log.ndjson', 'restore ../backup', 'restore --replace ../backup'];

/** The second time these say that it was done before, and end with 1. */
const ONCE = ['log import log.ndjson', 'log replace-key --reason tried', /^audit pack /];

const among = (patterns: ReadonlyArray<string | RegExp>, command: string): boolean =>
  patterns.some((pattern) => (typeof pattern === 'string' ? pattern === command : pattern.test(command)));

/** Each command once, as it is run. */
const tried = new Set(
  (await namedCommands()).map((named) => {
    const filled = PLACEHOLDERS.reduce((text, [name, value]) => text.replace(name, value), named);
    return COMPLETED[filled] ?? filled;
  }),
);

describe('the commands of the operator that the documentation names', function () {
  this.timeout(300_000);

  let directory: string;
  /** Where the commands are given. */
  let checkout: string;
  let service: ServiceProcess;
  let double: EventStoreDbDouble;
  let env: Readonly<Record<string, string | undefined>>;

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'commands-'));
    checkout = path.join(directory, 'checkout');
    await mkdir(checkout);
    await symlink(path.resolve(await operatorProgram()), path.join(directory, 'ops'));
    double = await startDouble();
    const dataDir = path.join(checkout, '.data');
    await mkdir(dataDir);
    const newKey = async (): Promise<string> => (await runOperator(['log', 'new-key', 'localhost/tried'])).stdout;
    // the second one is there to replace the first
    await writeFile(path.join(dataDir, 'checkpoint-key'), (await newKey()) + (await newKey()));
    service = await startService({ dataDir, env: ENCRYPTED });
    const api = makeApi(service.address, await tokenFor('admin', 'alice'));
    const made = async (path: string): Promise<string> =>
      (await api.json<{ readonly _id: string }>('POST', path, { name: 'Acme' }))._id;
    const [BUSINESS, DOCUMENT, ERASED] = [await made('/business'), await made('/document'), await made('/document')];
    const { PATH, HOME } = process.env;
    env = {
      PATH: `${directory}:${PATH}`,
      HOME,
      ...ENCRYPTED,
      BUSINESS,
      DOCUMENT,
      ERASED,
      EVENTSTOREDB: double.connectionString,
    };
    await writeFile(path.join(checkout, 'checkpoint'), await untilSigned(service, 2));
  });

  after(async () => {
    service.kill('SIGTERM');
    await service.exited;
    double.close();
    await rm(directory, { recursive: true });
  });

  const run = (command: string, dataDir: string): Promise<{ readonly code: number; readonly said: string }> =>
    new Promise((resolve) => {
      const options = { cwd: checkout, env: { ...env, DATA_DIR: dataDir } };
      const child = execFile('sh', ['-c', `ops ${command}`], options, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), said: stdout + stderr }),
      );
      child.stdin?.end();
    });

  it('are many', () => {
    expect(tried.size).to.be.greaterThan(25);
  });

  for (const command of tried)
    it(`${command}, twice in a row`, async () => {
      const dataDir = OTHER_LOG.includes(command) ? command.replaceAll(/\W+/g, '-') : '.data';
      for (const time of [1, 2]) {
        const { code, said } = await run(command, dataDir);
        expect(code, `time ${time}:\n${said}`).to.equal(time === 2 && among(ONCE, command) ? 1 : 0);
      }
    });
});
