import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

// Planted files do not exist, so the rules that need types are off; every other rule is the project's own.
const eslint = new ESLint({
  overrideConfig: [
    { files: ['**/*.ts'], ...tseslint.configs.disableTypeChecked },
    { files: ['**/*.ts'], languageOptions: { parserOptions: { projectService: false } } },
  ],
});

const rulesBroken = async (filePath: string, code: string): Promise<ReadonlyArray<string | null>> => {
  const [result] = await eslint.lintText(`${code}\n`, { filePath });
  return (result?.messages ?? [])
    .filter(({ ruleId }) => ruleId !== '@typescript-eslint/no-unused-vars')
    .map(({ ruleId, message }) => ruleId ?? message);
};

type Plant = readonly [file: string, code: string];

const bans: Readonly<Record<string, readonly [rule: string, ...ReadonlyArray<Plant>]>> = {
  'the environment is read in src/config.ts alone': [
    'no-restricted-syntax',
    ['src/main.ts', "export const port = process.env['PORT'];"],
    ['src/http/app.ts', 'export const { env } = process;'],
    ['src/cli/token.ts', "import { env } from 'node:process';\nexport const x = env;"],
  ],
  'no async data listener': [
    'no-restricted-syntax',
    ['src/http/app.ts', "export const f = (s: NodeJS.ReadableStream) => s.on('data', async () => {});"],
    ['test/http/app.test.ts', "export const f = (s: NodeJS.ReadableStream) => s.on('data', async function () {});"],
  ],
  'no clock and no chance but those of the composition': [
    'no-restricted-syntax',
    ['src/domain/business/decide.ts', 'export const now = () => new Date();'],
    ['src/config.ts', 'export const now = () => new Date();'],
    ['src/http/app.ts', 'export const now = () => Date.now();'],
    ['src/http/app.ts', "export const now = Date['now'];"],
    ['src/http/app.ts', 'export const { now } = Date;'],
    ['src/cli/token.ts', 'export const now = () => Date();'],
    ['projections/ledger.ts', 'export const chance = () => Math.random();'],
    ['src/http/app.ts', 'export const limit = () => AbortSignal.timeout(1);'],
    ['src/http/app.ts', 'export const clock = Date;'],
    ['src/http/app.ts', 'export const now = (clock = Date) => clock.now();'],
    ['src/http/app.ts', "export const now = new Intl.DateTimeFormat('en').format();"],
    ['src/http/app.ts', 'export const now = () => Temporal.Now.instant();'],
    ['src/http/app.ts', 'export const now = () => process.hrtime.bigint();'],
    ['src/http/app.ts', 'export const computed = () => process.cpuUsage();'],
    ['src/http/app.ts', "export const now = process['hrtime'];"],
    ['src/http/app.ts', 'export const { hrtime } = process;'],
    ['src/http/app.ts', "import os from 'node:os';\nexport const x = () => os.uptime();"],
    ['src/http/app.ts', 'export const wait = (a: Int32Array) => Atomics.wait(a, 0, 0, 1);'],
    ['src/http/app.ts', 'export const { wait } = Atomics;'],
    ['src/http/app.ts', 'export const later = (f: () => void) => globalThis.setTimeout(f, 1);'],
    ['src/http/app.ts', "export const later = globalThis['setTimeout'];"],
    ['src/http/app.ts', 'export const { performance: p } = globalThis;'],
    ['src/http/app.ts', "export const later = () => import('node:timers/promises');"],
    ['src/http/app.ts', 'export const note = (g: Gauge) => g.setToCurrentTime();'],
    ['src/http/app.ts', 'export const id = () => crypto.randomUUID();'],
    ['src/http/app.ts', "export const id = async () => { const { randomUUID: x } = await import('node:crypto'); };"],
    ['src/http/app.ts', "import c from 'node:crypto';\nexport const x = () => c.generateKeyPairSync('ed25519');"],
    ['src/http/app.ts', "import fs from 'node:fs';\nexport const x = () => fs.mkdtempSync('x');"],
    ['src/http/app.ts', "import c from 'node:crypto';\nexport const x = () => c.randomBytes(1);"],
  ],
  'no timer that is global': [
    'no-restricted-globals',
    ...['setTimeout(f, 1)', 'setInterval(f, 1)', 'setImmediate(f)', 'performance.now(f)'].map((call): Plant => [
      'projections/engine/run/projector.ts',
      `export const x = (f: never) => ${call};`,
    ]),
  ],
  'no timer and no chance of a module': [
    'no-restricted-imports',
    ...[
      "import { setTimeout as delay } from 'node:timers/promises'",
      "import { setImmediate as soon } from 'timers'",
      "import { performance as p } from 'node:perf_hooks'",
      "import * as x from 'node:crypto'",
      "import { randomBytes as x } from 'node:crypto'",
      "import { randomUUID as x } from 'node:crypto'",
      "import { randomFillSync as x } from 'crypto'",
      "import { randomInt as x } from 'node:crypto'",
      "import { webcrypto as x } from 'node:crypto'",
      "import { generateKeyPairSync as x } from 'node:crypto'",
      "import { hrtime as x } from 'node:process'",
      "import { uptime as x } from 'node:os'",
      "import { mkdtemp as x } from 'node:fs/promises'",
      "import { v4 as x } from 'uuid'",
      "import { v7 as x } from 'uuid'",
    ].map((line): Plant => ['src/sealing/restart.ts', `${line};`]),
  ],
  'no effect in the domain': [
    'no-restricted-globals',
    ['src/domain/business/decide.ts', 'export const x = () => crypto.subtle;'],
    ['src/domain/business/decide.ts', 'export const x = () => scheduler.wait(1);'],
  ],
  'no wait of a test without a reason': [
    'waits/reason',
    ['test/http/app.test.ts', 'export const x = () => eventually(ask, Boolean);'],
    ['test/http/app.test.ts', '// polls:\nexport const x = () => eventually(ask, Boolean);'],
    ['test/http/app.test.ts', '// pauses: for a while\nexport const x = () => eventually(ask, Boolean);'],
    ['test/http/app.test.ts', 'export const x = () => atRest(ask);'],
    ['test/http/app.test.ts', 'export const x = setInterval(look, 1);'],
    ['test/http/app.test.ts', 'export const x = () => new Promise((resolve) => setTimeout(resolve, 1));'],
    [
      'test/http/app.test.ts',
      "import { setTimeout as pause } from 'node:timers/promises';\nexport const x = pause(1);",
    ],
    ['test/http/app.test.ts', "import { setTimeout } from 'timers/promises';\nexport const x = setTimeout(1);"],
    ['test/http/app.test.ts', 'export const x = () => systemRuntime.clock.sleep(1);'],
    ['test/http/app.test.ts', 'const { clock } = systemRuntime;\nexport const x = () => clock.sleep(1);'],
    ['test/http/app.test.ts', 'export const x = () => Atomics.wait(cells, 0, 0, 1);'],
  ],
  'no import that loads a module for its types': [
    '@typescript-eslint/no-import-type-side-effects',
    ['src/domain/business/decide.ts', "import { type Decider } from '../../event-sourcing/decider.js';"],
  ],
  'no default export': ['no-restricted-exports', ['src/http/app.ts', 'export default 1;']],
  'no fp-ts path that plain Node cannot import': [
    'no-restricted-imports',
    ['src/http/app.ts', "import { x } from 'fp-ts/Either';"],
    ['src/http/app.ts', "import { x } from 'io-ts/lib/PathReporter';"],
    ['src/http/app.ts', "import { x } from 'fp-ts/es6/Either.js';"],
  ],
};

const titleOf = ([file, code]: Plant): string => `${file}: ${code.replaceAll('\n', ' ')}`;

describe('bans', function () {
  this.timeout(180_000);

  for (const [ban, [rule, ...plants]] of Object.entries(bans)) {
    describe(ban, () => {
      for (const plant of plants) {
        it(titleOf(plant), async () => {
          expect(await rulesBroken(...plant)).to.deep.equal([rule]);
        });
      }
    });
  }

  it('one place takes time and chance from the machine', async () => {
    const code = 'export const x = () => [new Date(), performance.now(), Math.random(), setTimeout(() => 1, 1)];';
    expect(await rulesBroken('src/infrastructure/system-runtime.ts', code)).to.deep.equal([]);
  });

  it('a socket may have its own limit of time', async () => {
    const code = "import type { Socket } from 'node:net';\nexport const x = (s: Socket) => s.setTimeout(1);";
    expect(await rulesBroken('src/http/app.ts', code)).to.deep.equal([]);
  });

  it('a test may wait with a reason, and be given up after a time', async () => {
    for (const code of [
      '// polls: nobody tells\nexport const x = () => eventually(ask, Boolean);',
      '// pauses: the server counts\n// its own time\nexport const x = () => new Promise((resolve) => setTimeout(resolve, 1));',
      'export const x = () => Promise.race([work, systemRuntime.clock.sleep(1).then(giveUp)]);',
      'const clock = makeManualClock();\nexport const x = () => clock.sleep(1);',
    ])
      expect(await rulesBroken('test/a.test.ts', code)).to.deep.equal([]);
  });

  it('tests wait with few reasons', async () => {
    const files = (await readdir('test', { recursive: true })).filter((name) => name.endsWith('.ts'));
    const texts = await Promise.all(files.map((name) => readFile(path.join('test', name), 'utf8')));
    const count = (kind: string): number => texts.join('\n').match(new RegExp(`^ *// ${kind}: `, 'gm'))?.length ?? 0;
    expect(count('polls')).to.be.below(60);
    expect(count('pauses')).to.be.below(10);
  });

  it('the configuration and the tests may read the environment', async () => {
    expect(await rulesBroken('src/config.ts', 'export const { env } = process;')).to.deep.equal([]);
    expect(await rulesBroken('test/a.test.ts', "export const ci = process.env['CI'];")).to.deep.equal([]);
  });
});
