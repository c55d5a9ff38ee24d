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

const value = (source: string): string => `import { x } from '${source}';`;
const type = (source: string): string => `import type { X } from '${source}';`;

type Plant = readonly [file: string, code: string];

const walls: Readonly<Record<string, ReadonlyArray<Plant>>> = {
  'an entity never knows another entity': [
    ['src/domain/business/decide.ts', value('../document/events.js')],
    ['src/domain/business/decide.ts', type('../document/events.js')],
    ['src/domain/shared/ids.ts', value('../business/events.js')],
  ],
  'the domain is pure': [
    ['src/domain/business/decide.ts', value('node:crypto')],
    ['src/domain/business/decide.ts', value('crypto')],
    ['src/domain/business/decide.ts', value('pg')],
    ['src/domain/business/decide.ts', value('koa')],
    ['src/domain/business/decide.ts', value('pino')],
    ['src/domain/shared/ids.ts', value('node:crypto')],
  ],
  'the domain takes only types from the kernel': [
    ['src/domain/business/decide.ts', value('../../event-sourcing/decider.js')],
    ['src/domain/shared/ids.ts', value('../../event-sourcing/decider.js')],
  ],
  'the domain knows no outer layer': [
    ['src/domain/business/decide.ts', value('../../application/add-owner.js')],
    ['src/domain/business/decide.ts', value('../../read/business-view.js')],
    ['src/domain/business/decide.ts', value('../../http/app.js')],
    ['src/domain/business/decide.ts', value('../../config.js')],
  ],
  'the kernel knows nobody': [
    ['src/event-sourcing/decider.ts', value('../domain/shared/ids.js')],
    ['src/event-sourcing/decider.ts', type('../domain/business/events.js')],
    ['src/event-sourcing/decider.ts', value('../application/add-owner.js')],
    ['src/event-sourcing/decider.ts', value('../infrastructure/postgres/pool.js')],
    ['src/event-sourcing/decider.ts', value('node:fs')],
    ['src/event-sourcing/decider.ts', value('pg')],
    ['src/event-sourcing/decider.ts', value('koa')],
    ['src/event-sourcing/decider.ts', value('pino')],
  ],
  'the application knows neither HTTP, adapters, projections nor the read side': [
    ['src/application/add-owner.ts', value('../http/app.js')],
    ['src/application/add-owner.ts', value('../infrastructure/postgres/pool.js')],
    ['src/application/add-owner.ts', value('../../projections/businesses.js')],
    ['src/application/add-owner.ts', value('../read/business-view.js')],
    ['src/application/add-owner.ts', value('node:fs/promises')],
    ['src/application/add-owner.ts', value('pg')],
    ['src/application/add-owner.ts', value('koa')],
  ],
  'the read side sees facts, not rules': [
    ['src/read/business-view.ts', value('../domain/business/decide.js')],
    ['src/read/business-view.ts', type('../domain/business/commands.js')],
    ['src/read/business-view.ts', value('../application/add-owner.js')],
    ['src/read/business-view.ts', value('../http/app.js')],
    ['src/read/business-view.ts', value('../infrastructure/postgres/pool.js')],
    ['src/read/business-view.ts', value('../../projections/businesses.js')],
    ['src/read/business-view.ts', value('pg')],
  ],
  'projections see facts, not rules, use cases or HTTP': [
    ['projections/businesses.ts', value('../src/domain/business/decide.js')],
    ['projections/businesses.ts', type('../src/domain/business/commands.js')],
    ['projections/businesses.ts', value('../src/application/add-owner.js')],
    ['projections/businesses.ts', value('../src/http/app.js')],
    ['projections/businesses.ts', value('../src/infrastructure/postgres/pool.js')],
    ['projections/engine/live.ts', value('../../src/domain/business/decide.js')],
    ['projections/engine/live.ts', value('../../src/application/add-owner.js')],
    ['projections/engine/live.ts', value('../../src/http/app.js')],
  ],
  'HTTP reaches neither adapters, projections, configuration nor drivers': [
    ['src/http/app.ts', value('../infrastructure/postgres/pool.js')],
    ['src/http/app.ts', value('../../projections/engine/live.js')],
    ['src/http/app.ts', value('../config.js')],
    ['src/http/app.ts', value('../cli/token.js')],
    ['src/http/app.ts', value('pg')],
  ],
  'only HTTP knows HTTP': [
    ['src/infrastructure/postgres/pool.ts', value('../../http/app.js')],
    ['src/cli/token.ts', value('../http/app.js')],
  ],
  'Koa lives in HTTP and the composition root': [
    ['src/infrastructure/postgres/pool.ts', value('koa')],
    ['src/infrastructure/postgres/pool.ts', value('@koa/router')],
    ['src/cli/token.ts', value('koa-jwt')],
    ['projections/engine/live.ts', value('koa')],
    ['projections/businesses.ts', value('multer')],
  ],
  'drivers live in the infrastructure': [
    ['src/main.ts', value('pg')],
    ['src/main.ts', value('minio')],
    ['src/main.ts', 'export const client = await import("@eventstore/db-client");'],
    ['src/cli/ops.ts', value('pg-copy-streams')],
    ['src/cli/ops.ts', value('@grpc/grpc-js')],
    ['src/http/app.ts', value('minio')],
    ['src/config.ts', value('pg')],
  ],
  'the projection engine has pg and no other driver': [
    ['projections/businesses.ts', value('pg')],
    ['projections/engine/live.ts', value('minio')],
    ['projections/engine/live.ts', value('minio')],
    ['projections/engine/live.ts', value('@eventstore/db-client')],
    ['projections/engine/live.ts', value('@grpc/grpc-js/build/src/client.js')],
  ],
  'nobody imports the composition root': [
    ['src/cli/ops.ts', value('../main.js')],
    ['src/infrastructure/postgres/pool.ts', value('../../main.js')],
    ['test/main.test.ts', value('../src/main.js')],
  ],
  'product code never imports a test': [
    ['src/main.ts', value('../test/support/builders.js')],
    ['src/domain/business/events.ts', type('../../../test/support/builders.js')],
    ['projections/engine/live.ts', value('../../test/support/builders.js')],
  ],
  'a wall stands for every form of import': [
    ['src/http/app.ts', "export { x } from 'pg';"],
    ['src/http/app.ts', "export * from 'pg';"],
    ['src/http/app.ts', "export const x = await import('pg');"],
    ['src/http/app.ts', 'export const x = await import(`pg`);'],
    ['src/http/app.ts', "import 'pg';"],
  ],
  'every file lies in a zone': [
    ['src/utils.ts', 'export const x = 1;'],
    ['src/services/thing.ts', 'export const x = 1;'],
  ],
};

const legal: ReadonlyArray<Plant> = [
  ['src/domain/business/decide.ts', value('./events.js')],
  ['src/domain/business/decide.ts', value('../shared/ids.js')],
  ['src/domain/business/decide.ts', type('../../event-sourcing/decider.js')],
  ['src/domain/business/decide.ts', "import { either as E } from 'fp-ts';\nimport * as t from 'io-ts';"],
  ['src/domain/shared/ids.ts', type('../../event-sourcing/decider.js')],
  ['src/event-sourcing/recorded.ts', value('./decider.js')],
  ['src/event-sourcing/recorded.ts', value('node:crypto')],
  ['src/event-sourcing/recorded.ts', value('fp-ts/lib/Either.js')],
  ['src/application/add-owner.ts', value('../domain/business/decide.js')],
  ['src/application/add-owner.ts', value('../event-sourcing/decider.js')],
  ['src/application/add-owner.ts', type('node:stream')],
  ['src/read/business-view.ts', value('../domain/business/state.js')],
  ['src/read/business-view.ts', value('../domain/business/events.js')],
  ['src/read/business-view.ts', value('../event-sourcing/recorded.js')],
  ['projections/businesses.ts', value('../src/read/business-view.js')],
  ['projections/businesses.ts', value('../src/domain/business/events.js')],
  ['projections/businesses.ts', type('./engine/projection.js')],
  ['projections/engine/live.ts', value('pg')],
  ['projections/engine/live.ts', value('../businesses.js')],
  ['src/http/app.ts', value('../application/add-owner.js')],
  ['src/http/app.ts', value('../read/business-view.js')],
  ['src/http/app.ts', value('@koa/router')],
  ['src/http/app.ts', value('node:http')],
  ['src/infrastructure/postgres/pool.ts', value('pg')],
  ['src/infrastructure/postgres/pool.ts', value('../../application/ports.js')],
  ['src/infrastructure/postgres/pool.ts', value('../../config.js')],
  ['src/infrastructure/eventstoredb/store.ts', "export const x = await import('@eventstore/db-client');"],
  ['src/cli/ops.ts', value('../infrastructure/postgres/pool.js')],
  ['src/cli/ops.ts', value('../../projections/engine/rebuild.js')],
  ['src/cli/ops.ts', value('commander')],
  ['src/main.ts', value('./http/app.js')],
  ['src/main.ts', value('./infrastructure/postgres/pool.js')],
  ['src/main.ts', value('koa')],
  ['test/http/app.test.ts', value('../../src/http/app.js')],
  ['test/http/app.test.ts', value('../support/builders.js')],
  ['test/http/app.test.ts', value('pg')],
];

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
  'no default export': ['no-restricted-exports', ['src/http/app.ts', 'export default 1;']],
  'no fp-ts path that plain Node cannot import': [
    'no-restricted-imports',
    ['src/http/app.ts', value('fp-ts/Either')],
    ['src/http/app.ts', value('io-ts/lib/PathReporter')],
    ['src/http/app.ts', value('fp-ts/es6/Either.js')],
  ],
};

const titleOf = ([file, code]: Plant): string => `${file}: ${code.replaceAll('\n', ' ')}`;

describe('import boundaries', () => {
  for (const [wall, plants] of Object.entries(walls)) {
    describe(wall, () => {
      for (const plant of plants) {
        it(titleOf(plant), async () => {
          expect(await rulesBroken(...plant)).to.deep.equal(['boundaries/imports']);
        });
      }
    });
  }

  describe('what the table allows', () => {
    for (const plant of legal) {
      it(titleOf(plant), async () => {
        expect(await rulesBroken(...plant)).to.deep.equal([]);
      });
    }
  });
});

describe('bans', () => {
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
