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
const CLOCK_AND_CHANCE_OF = {
  Date: ['now'],
  Math: ['random'],
  AbortSignal: ['timeout'],
  Atomics: ['wait', 'waitAsync'],
  Temporal: ['Now'],
  process: ['cpuUsage', 'hrtime', 'uptime'],
  os: ['uptime'],
};
const TIMERS = ['performance', 'scheduler', 'setImmediate', 'setInterval', 'setTimeout'];
const TIMER_MODULES = ['timers', 'timers/promises', 'perf_hooks'];
const DRAWS = [
  ...['randomBytes', 'pseudoRandomBytes', 'randomFill', 'randomFillSync', 'randomInt', 'getRandomValues'],
  ...['randomUUID', 'randomUUIDv7', 'generatePrime', 'generatePrimeSync'],
  ...['generateKey', 'generateKeySync', 'generateKeyPair', 'generateKeyPairSync', 'generateKeys'],
];
const TEMPORARY = ['mkdtemp', 'mkdtempSync', 'mkdtempDisposable', 'mkdtempDisposableSync'];
// by prom-client
const MEASURES = ['setToCurrentTime', 'startTimer'];
const anyOf = (names) => `/^(${names.join('|').replaceAll('/', '\\u002F')})$/`;
/** What is taken of an object, as `o.name`, `o['name']` or `const { name } = o`. */
const takenOf = (object, names) => [
  `MemberExpression[object.name=${object}]:matches([property.name=${anyOf(names)}], [property.value=${anyOf(names)}])`,
  `VariableDeclarator[init.name=${object}] > ObjectPattern > Property[key.name=${anyOf(names)}]`,
];
const ofComposition =
  'Time and chance are given by the composition: take a Clock, a Random or a Runtime of src/event-sourcing as an argument.';
const clockAndChance = [
  "NewExpression[callee.name='Date'][arguments.length=0]",
  "CallExpression[callee.name='Date']",
  // under another name
  ':matches(VariableDeclarator[init.name=Date][id.type=Identifier], AssignmentPattern[right.name=Date])',
  // which format the present where they are given no time
  `CallExpression[callee.property.name=${anyOf(['format', 'formatToParts'])}][arguments.length=0]`,
  ...Object.entries(CLOCK_AND_CHANCE_OF).flatMap(([object, names]) => takenOf(object, names)),
  ...takenOf(anyOf(['globalThis', 'global']), [...TIMERS, 'crypto', ...Object.keys(CLOCK_AND_CHANCE_OF)]),
  `MemberExpression[property.name=${anyOf([...DRAWS, ...TEMPORARY, ...MEASURES])}]`,
  `ObjectPattern > Property[key.name=${anyOf([...DRAWS, ...TEMPORARY])}]`,
  `ImportExpression[source.value=${anyOf(TIMER_MODULES.flatMap((name) => [name, `node:${name}`]))}]`,
].map((selector) => ({ selector, message: ofComposition }));
const bannedFrom = (modules, importNames) =>
  modules
    .flatMap((name) => [name, `node:${name}`])
    .map((name) => ({ name, ...(importNames === undefined ? {} : { importNames }), message: ofComposition }));
const clockAndChanceImports = [
  ...bannedFrom(TIMER_MODULES),
  ...bannedFrom(['crypto'], [...DRAWS, 'webcrypto']),
  ...bannedFrom(['process'], CLOCK_AND_CHANCE_OF.process),
  ...bannedFrom(['os'], CLOCK_AND_CHANCE_OF.os),
  ...bannedFrom(['fs', 'fs/promises'], TEMPORARY),
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
// Tests wait for an event, an answer or an exit. Where there is none, the place says why: `// polls: …` where something is
// looked at again and again, `// pauses: …` where a test lasts for a given time. A timer in a race is neither, but a limit.
const POLLS = ['eventually', 'atRest', 'setInterval'];
const PAUSES = ['setTimeout'];
const PAUSING_MODULES = ['timers', 'timers/promises'].flatMap((name) => [name, `node:${name}`]);
const isNamed = (node, ...names) => node?.type === 'Identifier' && names.includes(node.name);
const isMember = (node, object, ...names) =>
  node?.type === 'MemberExpression' && object(node.object) && isNamed(node.property, ...names);
const isInRace = (node) => {
  const { parent } = node;
  if (parent.type === 'MemberExpression' && parent.object === node) return isInRace(parent);
  if (parent.type === 'CallExpression' && parent.callee === node) return isInRace(parent);
  const call = parent.type === 'ArrayExpression' ? parent.parent : undefined;
  return call?.type === 'CallExpression' && isMember(call.callee, (object) => isNamed(object, 'Promise'), 'race');
};
/** A rule by which each call that `kindOf` takes for one needs a comment with that kind and a reason right before it. */
const waitsWithReason = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { reason: 'Wait for an event, or say why there is none: `// {{kind}}: …`.' },
  },
  create: ({ sourceCode, report }) => {
    const clocks = new Set();
    const pauses = new Set(PAUSES);
    const isClock = (node) =>
      (node.type === 'Identifier' && clocks.has(node.name)) ||
      isMember(node, (object) => isNamed(object, 'systemRuntime'), 'clock');
    const kindOf = ({ callee }) => {
      if (isNamed(callee, ...POLLS)) return 'polls';
      if (isNamed(callee, ...pauses) || isMember(callee, isClock, 'sleep', 'after')) return 'pauses';
      if (isMember(callee, isClock, 'every')) return 'polls';
      return isMember(callee, (object) => isNamed(object, 'Atomics'), 'wait', 'waitAsync') ? 'pauses' : undefined;
    };
    const isExplained = ({ loc }, kind) => {
      // a pause between two looks is that of a poll
      const words = kind === 'pauses' ? 'pauses|polls' : kind;
      const comments = sourceCode.getAllComments();
      let line = loc.start.line - 1;
      for (let comment; (comment = comments.find((each) => each.loc.end.line === line)) !== undefined; line -= 1)
        if (new RegExp(`^ (${words}): \\S`).test(comment.value)) return true;
      return false;
    };
    return {
      ImportDeclaration: ({ source, specifiers }) => {
        if (!PAUSING_MODULES.includes(source.value)) return;
        for (const { imported, local } of specifiers) if (isNamed(imported, ...PAUSES)) pauses.add(local.name);
      },
      VariableDeclarator: ({ id, init }) => {
        if (id.type !== 'ObjectPattern' || !isNamed(init, 'systemRuntime')) return;
        for (const { key, value } of id.properties) if (isNamed(key, 'clock')) clocks.add(value.name);
      },
      CallExpression: (node) => {
        const kind = kindOf(node);
        if (kind === undefined || isInRace(node) || isExplained(node, kind)) return;
        report({ node, messageId: 'reason', data: { kind } });
      },
    };
  },
};
const WAITS_UNEXPLAINED = [
  // they load a service, at a pace and for a time that is theirs
  ...['test/bench/**/*.ts', 'test/hostile/**/*.ts', 'test/real/**/*.ts'],
  // of the machine's clock itself
  'test/infrastructure/system-runtime.test.ts',
];
const effects = ['console', 'crypto', 'fetch', 'process', 'queueMicrotask', ...TIMERS];

export default defineConfig(
  // the samples stand on what clients are generated into: the command that generates them compiles them
  { ignores: ['dist/', 'coverage/', '.data/', 'test/clients/samples/'] },
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
  {
    files: ['test/**/*.ts'],
    ignores: WAITS_UNEXPLAINED,
    plugins: { waits: { rules: { reason: waitsWithReason } } },
    rules: { 'waits/reason': 'error' },
  },
);
