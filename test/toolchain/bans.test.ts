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
  'no clock and no chance in the domain': [
    'no-restricted-syntax',
    ['src/domain/business/decide.ts', 'export const now = () => new Date();'],
    ['src/domain/business/decide.ts', 'export const now = () => Date.now();'],
    ['src/domain/business/decide.ts', 'export const chance = () => Math.random();'],
  ],
  'no effect in the domain': [
    'no-restricted-globals',
    ['src/domain/business/decide.ts', 'export const id = () => crypto.randomUUID();'],
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

  it('the configuration and the tests may read the environment', async () => {
    expect(await rulesBroken('src/config.ts', 'export const { env } = process;')).to.deep.equal([]);
    expect(await rulesBroken('test/a.test.ts', "export const ci = process.env['CI'];")).to.deep.equal([]);
  });
});
