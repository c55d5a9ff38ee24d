import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import pg from 'pg';
import { categoriesOf, encryptionRulesOf, projectionsOf, registry } from '../../../src/entities/registry.js';
import { startProjections } from '../../../projections/engine/run/start-projections.js';
import { openStores } from '../../../src/infrastructure/open-stores.js';
import { append, created, renamed, sealed } from '../../projections/appending.js';
import { untilShown } from '../../support/until-shown.js';
import { runOperator } from '../../support/operator.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { ownStorage } from '../../support/read-model-storage.js';

const [BAD, GOOD] = ['0198f000-0000-7000-8000-000000000001', '0198f000-0000-7000-8000-000000000002'];
const [BAD_STREAM, GOOD_STREAM] = [`business-${BAD}`, `business-${GOOD}`] as const;
const VERSION_99 = 'schema version 99 is newer than this program';

const NOT_ENCRYPTED = { erasure: false, erasureKeys: undefined, eventKeys: undefined };

describe('the commands that verify rows and release parked entities', function () {
  this.timeout(300_000);

  let dataDir: string;
  let env: Record<string, string>;

  /** Opens the embedded stack, as a service does, for the time that `use` takes. */
  const onStack = async (use: (stack: { store: Parameters<typeof append>[0]; url: string }) => Promise<void>) => {
    const config = { dataDir, databaseUrl: undefined, eventStoreDbUrl: undefined, ...NOT_ENCRYPTED };
    const quiet = (): void => undefined;
    const opened = await openStores(config, {
      runtime: systemRuntime,
      processKind: 'service',
      categories: categoriesOf(registry),
      rules: encryptionRulesOf(registry),
      onPostgresLog: quiet,
      onConnectionEvent: quiet,
    });
    if (E.isLeft(opened)) throw new Error(opened.left.message);
    const { store, readModelsUrl, close } = opened.right;
    try {
      await use({ store, url: readModelsUrl });
    } finally {
      await close();
    }
  };

  const project = async (url: string, store: Parameters<typeof append>[0], position: bigint): Promise<void> => {
    const projections = startProjections({
      runtime: systemRuntime,
      projections: projectionsOf(registry),
      store,
      storage: ownStorage(url),
      projector: true,
      isSoleProcess: true,
      rollbackWindowMs: 60_000,
      onEvent: () => undefined,
    });
    expect(await untilShown(projections.byName('businesses').progress, position)).to.equal(true);
    await projections.stop();
  };

  const sql = async (url: string, text: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(text);
    await client.end();
  };

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'ops-projections-'));
    env = { DATA_DIR: dataDir };
    await onStack(async ({ store, url }) => {
      await append(
        store,
        BAD_STREAM,
        0n,
        created('Bad'),
        sealed(renamed('Future'), BAD_STREAM, 1n, 99),
        renamed('After'),
      );
      await project(url, store, await append(store, GOOD_STREAM, 0n, created('Good')));
      await sql(url, `update read_model.businesses set name = 'Vandal', words = '''vandal''' where id = '${GOOD}'`);
    });
  });

  after(() => rm(dataDir, { recursive: true }));

  it('find a row that is not what its stream makes, and repair it', async () => {
    const drifted = {
      projection: 'businesses',
      stream: GOOD_STREAM,
      id: GOOD,
      kind: 'differs',
      fields: ['words', 'name'],
    };
    const found = await runOperator(['projections', 'verify', 'businesses'], { env });
    expect(found).to.deep.equal({
      code: 1,
      stdout: `businesses: ${GOOD_STREAM} differs in words, name\nbusinesses: 2 entities compared, 1 drifted, 0 repaired\n`,
      stderr: '',
    });
    const repaired = await runOperator(['projections', 'verify', 'businesses', '--repair', '--json'], { env });
    expect(repaired.code).to.equal(0);
    expect(
      repaired.stdout
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ).to.deep.equal([
      { ...drifted, outcome: 'Projected' },
      { projection: 'businesses', checked: 2, drifted: 1, ahead: 0, repaired: 1 },
    ]);
    const clean = await runOperator(['projections', 'verify', 'businesses'], { env });
    expect(clean.stdout).to.equal('businesses: 2 entities compared, none differs from its stream\n');
  });

  it('show what is parked, keep it parked while nothing changed, and skip only with a reason, for ever', async () => {
    const listed = await runOperator(['projections', 'parked', 'list'], { env });
    expect(listed.stdout).to.match(
      new RegExp(`^businesses: ${BAD_STREAM} waits at revision 1 since .*Z, 2 events: ${VERSION_99}\n$`),
    );
    const shown = await runOperator(['projections', 'parked', 'show', BAD_STREAM, '--json'], { env });
    expect(JSON.parse(shown.stdout)).to.deep.include({ stream: BAD_STREAM, revision: 1, error: VERSION_99 });
    expect(JSON.parse(shown.stdout)).to.have.nested.include({
      'event.type': 'BusinessUpdated',
      'event.data.changes.name': 'Future',
      'event.metadata.schemaVersion': 99,
    });
    const retried = await runOperator(['projections', 'parked', 'retry', BAD_STREAM], { env });
    expect(retried).to.deep.equal({
      code: 1,
      stdout: `${BAD_STREAM} stays parked at revision 1: ${VERSION_99}\n`,
      stderr: '',
    });
    expect((await runOperator(['projections', 'parked', 'skip', BAD_STREAM], { env })).code).to.equal(2);
    const because = ['--reason', 'sent by a client of the future', '--user', 'olga', '--json'];
    const skipped = await runOperator(['projections', 'parked', 'skip', BAD_STREAM, ...because], { env });
    expect(skipped.stdout).to.equal(`{"stream":"${BAD_STREAM}","outcome":"Projected"}\n`);
    const none = await runOperator(['projections', 'parked', 'list'], { env });
    expect(none.stdout).to.equal('no entity is parked\n');
    const decisions = await runOperator(['log', 'export', '--stream', 'operations-businesses'], { env });
    expect(decisions.stdout).to.include('sent by a client of the future').and.to.include('olga');
  });

  it('rebuild rows that honour what was skipped', async () => {
    const rebuilt = await runOperator(['projections', 'rebuild', 'businesses', '--switch', 'if-same'], { env });
    expect(rebuilt.code).to.equal(0);
    const clean = await runOperator(['projections', 'verify', 'businesses'], { env });
    expect(clean).to.deep.equal({
      code: 0,
      stdout: 'businesses: 2 entities compared, none differs from its stream\n',
      stderr: '',
    });
  });
});
