import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const asyncDataListener = {
  selector:
    "CallExpression[callee.property.name=/^(on|once|addListener|prependListener)$/][arguments.0.value='data'] > ArrowFunctionExpression[async=true], CallExpression[callee.property.name=/^(on|once|addListener|prependListener)$/][arguments.0.value='data'] > FunctionExpression[async=true]",
  message: 'An async listener loses order, backpressure and errors: pull with `for await`.',
};
const environment = [
  "MemberExpression[object.name='process'][property.name='env']",
  "MemberExpression[object.name='process'][property.value='env']",
  "VariableDeclarator[init.name='process'] > ObjectPattern > Property[key.name='env']",
  'ImportDeclaration[source.value=/^(node:)?process$/] > ImportSpecifier[imported.name=env]',
].map((selector) => ({
  selector,
  message: 'The environment is read once, by the codec in src/config.ts: take the value as an argument.',
}));
// Time and chance come in with the composition, so that a test can hold them. Not among these, because they give neither:
// the `setTimeout` of a socket and of a request, which belongs to its connection, and `process.nextTick` and
// `queueMicrotask`, which only put off what runs before anything else comes.
const DRAWS =
  'randomBytes pseudoRandomBytes randomUUID randomUUIDv7 randomFill randomFillSync randomInt getRandomValues'.split(
    ' ',
  );
const TIMERS = ['performance', 'scheduler', 'setImmediate', 'setInterval', 'setTimeout'];
const ofComposition =
  'Time and chance are given by the composition: take a Clock, a Random or a Runtime of src/event-sourcing as an argument.';
const clockAndChance = [
  "NewExpression[callee.name='Date'][arguments.length=0]",
  "CallExpression[callee.name='Date']",
  'MemberExpression[object.name=Date]:matches([property.name=now], [property.value=now])',
  'MemberExpression[object.name=Math]:matches([property.name=random], [property.value=random])',
  'MemberExpression[object.name=AbortSignal]:matches([property.name=timeout], [property.value=timeout])',
  'VariableDeclarator[init.name=/^(Date|Math|AbortSignal)$/] > ObjectPattern',
  'MemberExpression[object.name=process][property.name=/^(hrtime|uptime)$/]',
  'MemberExpression[object.name=Atomics][property.name=/^wait/]',
  `MemberExpression[object.name=/^(globalThis|global)$/][property.name=/^(${TIMERS.join('|')}|crypto|Date|Math)$/]`,
  `MemberExpression[property.name=/^(${DRAWS.join('|')})$/]`,
].map((selector) => ({ selector, message: ofComposition }));
const bannedFrom = (names, importNames) =>
  names.map((name) => ({ name, ...(importNames === undefined ? {} : { importNames }), message: ofComposition }));
const clockAndChanceImports = [
  ...bannedFrom(['timers', 'timers/promises', 'perf_hooks'].flatMap((name) => [name, `node:${name}`])),
  ...bannedFrom(['crypto', 'node:crypto'], [...DRAWS, 'webcrypto']),
  ...bannedFrom(['process', 'node:process'], ['hrtime', 'uptime']),
  ...bannedFrom(['uuid'], ['v1', 'v4', 'v6', 'v7']),
];
const functionalImports = [
  {
    regex: '^(fp-ts|io-ts)/(?!lib/.+\\.js$)',
    message:
      "Plain Node cannot import this path: use a named module of 'fp-ts' (`import { either as E } from 'fp-ts'`) or 'fp-ts/lib/X.js'.",
  },
  {
    regex: '^fp-ts(/lib/.*)?$',
    importNamePattern: '^(task|reader|io|state)(?!$)|^(task|reader|io|state)$',
    message: 'An effect is a Promise<Either<Failure, A>> (docs/adr/0011): fp-ts is for values.',
  },
];
const effects = 'console crypto fetch performance process queueMicrotask setImmediate setInterval setTimeout'.split(
  ' ',
);

export default defineConfig(
  { ignores: ['dist/', 'coverage/', '.data/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.js'],
    languageOptions: { globals: { URL: 'readonly', process: 'readonly' } },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      'no-restricted-exports': [
        'error',
        {
          restrictDefaultExports: {
            direct: true,
            named: true,
            defaultFrom: true,
            namedFrom: true,
            namespaceFrom: true,
          },
        },
      ],
      'no-restricted-imports': ['error', { patterns: functionalImports }],
      'no-restricted-syntax': ['error', asyncDataListener, ...environment],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      // dependency-cruiser takes `import { type X }` for a type, and Node loads the module
      '@typescript-eslint/no-import-type-side-effects': 'error',
      // `this: void` says that a function of a record may be taken off it
      '@typescript-eslint/no-invalid-void-type': ['error', { allowAsThisParameter: true }],
      // a codec and the type derived from it share a name
      '@typescript-eslint/no-redeclare': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/strict-boolean-expressions': ['error', { allowString: false, allowNumber: false }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { allowDefaultCaseForExhaustiveSwitch: false, considerDefaultExhaustiveForUnions: false },
      ],
    },
  },
  {
    files: ['src/**/*.ts', 'projections/**/*.ts'],
    ignores: ['src/infrastructure/system-runtime.ts'],
    rules: {
      'no-restricted-imports': ['error', { paths: clockAndChanceImports, patterns: functionalImports }],
      'no-restricted-globals': ['error', ...TIMERS.map((name) => ({ name, message: ofComposition }))],
      'no-restricted-syntax': ['error', asyncDataListener, ...environment, ...clockAndChance],
    },
  },
  {
    files: ['src/config.ts'],
    rules: { 'no-restricted-syntax': ['error', asyncDataListener, ...clockAndChance] },
  },
  {
    files: ['src/domain/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', asyncDataListener, ...environment, ...clockAndChance],
      'no-restricted-globals': [
        'error',
        ...effects.map((name) => ({ name, message: 'The domain is pure: effects belong to the layers around it.' })),
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', asyncDataListener],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unused-expressions': 'off',
    },
  },
);
