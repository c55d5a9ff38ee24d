import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';

type Report = { readonly summary: { readonly violations: ReadonlyArray<{ from: string; rule: { name: string } }> } };

/** What breaks in a tree of these files, as `file: wall`. */
const broken = (files: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const tree = mkdtempSync(path.join(tmpdir(), 'boundaries-'));
  try {
    symlinkSync(path.resolve('node_modules'), path.join(tree, 'node_modules'));
    for (const [file, code] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
      writeFileSync(path.join(tree, file), `${code}\n`);
    }
    const cruise = path.resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const walls = path.resolve('.dependency-cruiser.js');
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [cruise, '--config', walls, '--output-type', 'json', 'src', 'projections', 'test'],
      { cwd: tree, encoding: 'utf8' },
    );
    expect(stderr).to.equal('');
    const { violations } = (JSON.parse(stdout) as Report).summary;
    return violations.map(({ from, rule }) => `${from}: ${rule.name}`);
  } finally {
    rmSync(tree, { recursive: true });
  }
};

const exporting = 'export const x = 1;\nexport type X = 1;';

/** What the planted files import. */
const imported = {
  'src/domain/document/events.ts': exporting,
  'src/domain/document/decide.ts': exporting,
  'src/event-sourcing/decider.ts': exporting,
  'src/infrastructure/postgres/pool.ts': exporting,
  'src/infrastructure/system-runtime.ts': exporting,
  'src/main.ts': exporting,
  'src/seal/hash.ts': exporting,
  'test/support/builders.ts': exporting,
  'test/support/chromium.ts': exporting,
  'src/cli/round.ts': "import type { X } from './cycle.js';",
  'projections/documents.ts': exporting,
};

const anEntity = 'an entity of the domain may not import this';
const http = 'the HTTP layer may not import this';
const walls: ReadonlyArray<readonly [what: string, file: string, code: string, wall: string]> = [
  ['a folder', 'src/http/a-folder.ts', "import { x } from '../infrastructure/postgres/pool.js';", http],
  ['a folder, for a type', 'src/http/a-type.ts', "import type { X } from '../../projections/documents.js';", http],
  ['a package', 'src/http/a-package.ts', "import pg from 'pg';", http],
  ['a re-export', 'src/http/a-re-export.ts', "export * from 'pg';", http],
  ['a dynamic import', 'src/http/dynamic.ts', 'export const x = await import(`pg`);', http],
  ['another entity', 'src/domain/business/a.ts', "import type { X } from '../document/events.js';", anEntity],
  ['a value for a type', 'src/domain/business/b.ts', "import { x } from '../../event-sourcing/decider.js';", anEntity],
  ['a builtin', 'src/domain/business/c.ts', "import { randomUUID } from 'node:crypto';", anEntity],
  [
    'a rule for a fact',
    'src/read/view.ts',
    "import { x } from '../domain/document/decide.js';",
    'the read side may not import this',
  ],
  [
    'I/O',
    'src/application/use-case.ts',
    "import { readFile } from 'node:fs/promises';",
    'the application may not import this',
  ],
  ['I/O', 'src/seal/tiles-on-disk.ts', "import { readFile } from 'node:fs/promises';", 'the seal may not import this'],
  [
    'the seal',
    'src/event-sourcing/sealing.ts',
    "import { x } from '../seal/hash.js';",
    'the kernel may not import this',
  ],
  ['a driver', 'projections/engine/run/rows.ts', "import pg from 'pg';", 'the projection engine may not import this'],
  [
    'SQL',
    'projections/engine/run/more-rows.ts',
    "import { x } from '../postgres/live.js';",
    'the projection engine may not import this',
  ],
  [
    'SQL',
    'projections/contacts.ts',
    "import { x } from './engine/postgres/live.js';",
    'a projection may not import this',
  ],
  [
    'an adapter',
    'src/infrastructure/adapter.ts',
    "import { x } from './system-runtime.js';",
    'the clock and the chance of the machine are taken by those who compose',
  ],
  [
    'a part of the service',
    'src/composition/start-service.ts',
    "import { x } from '../infrastructure/system-runtime.js';",
    'the clock and the chance of the machine are taken by those who compose',
  ],
  [
    'a browser',
    'test/http/page.test.ts',
    "import { x } from '../support/chromium.js';",
    'a fast test needs Node alone',
  ],
  ['src/main.ts', 'test/a.test.ts', "import { x } from '../src/main.js';", 'nobody imports src/main.ts'],
  [
    'a test',
    'src/infrastructure/s3/a-test.ts',
    "import { x } from '../../../test/support/builders.js';",
    'product code never imports a test',
  ],
  ['through a type', 'src/cli/cycle.ts', "import { x } from './round.js';", 'no import cycle'],
  ['nothing, in no zone', 'src/utils.ts', exporting, 'every file lies in a zone'],
];

const legal: Readonly<Record<string, string>> = {
  'src/domain/business/decide.ts':
    "import type { X } from '../../event-sourcing/decider.js';\nimport { either as E } from 'fp-ts';",
  'src/read/document-view.ts': "import { x } from '../domain/document/events.js';",
  'src/application/ports.ts': "import type { Readable } from 'node:stream';",
  'src/http/app.ts': "import Koa from 'koa';\nimport { pino } from 'pino';\nimport { createServer } from 'node:http';",
  'src/infrastructure/postgres/log.ts': "import pg from 'pg';\nimport { x } from './pool.js';",
  'projections/engine/postgres/live.ts': "import pg from 'pg';\nimport { x } from '../../documents.js';",
  'projections/engine/live.ts': "import { x } from '../documents.js';",
  'projections/engine/tiles.ts': "import { x } from '../../src/seal/hash.js';",
  'src/composition/run-service.ts': "import { x } from '../infrastructure/system-runtime.js';",
  'src/cli/progress.ts': "import { x } from '../infrastructure/system-runtime.js';",
  'src/seal/note.ts': "import { sign } from 'node:crypto';\nimport { x } from '../event-sourcing/decider.js';",
  'test/http/page.integration.test.ts': "import { x } from '../support/chromium.js';",
  'test/http/app.test.ts': "import { x } from '../support/builders.js';\nimport pg from 'pg';",
};

describe('import boundaries', function () {
  this.timeout(180_000);

  let found: ReadonlyArray<string>;

  before(() => {
    found = broken({ ...imported, ...legal, ...Object.fromEntries(walls.map(([, file, code]) => [file, code])) });
  });

  for (const [what, file, , wall] of walls) {
    it(`${wall}: ${what}`, () => {
      expect(found.filter((line) => line.startsWith(`${file}:`))).to.deep.equal([`${file}: ${wall}`]);
    });
  }

  it('nothing else is broken', () => {
    expect(found).to.have.length(walls.length);
  });
});
