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
const clockAndChance = [
  "NewExpression[callee.name='Date'][arguments.length=0]",
  "CallExpression[callee.name='Date']",
  "MemberExpression[object.name='Date'][property.name='now']",
  "MemberExpression[object.name='Math'][property.name='random']",
].map((selector) => ({ selector, message: 'The domain is pure: times and ids come in on the command.' }));
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
      'no-restricted-imports': [
        'error',
        {
          patterns: [
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
          ],
        },
      ],
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
    files: ['src/config.ts'],
    rules: { 'no-restricted-syntax': ['error', asyncDataListener] },
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
