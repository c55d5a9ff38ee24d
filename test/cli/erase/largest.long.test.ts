import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { MAX_OWNERS_LENGTH } from '../../../src/domain/business/owner-limits.js';
import { appendFacts, type Fact } from '../../hostile/support/seed-log.js';
import { type Api, makeApi } from '../../support/api.js';
import { type ComposedService, startComposed } from '../../support/composed-service.js';
import { encryptedInstallation } from '../../support/encrypted-installation.js';
import { runOperator } from '../../support/operator.js';
import { freshDatabase } from '../../support/postgres.js';
import { openStore } from '../../support/postgres-event-store.js';
import { tokenFor } from '../../support/service-process.js';

/** Four bytes of UTF-8, and two characters of JavaScript. */
const LONG = '😀';
const LONGEST = LONG.repeat(255);

const FIELDS = {
  ...Object.fromEntries(
    ['name', 'dba', 'displayName', 'email', 'phone', 'ein', 'parent', 'city', 'state', 'zip', 'country'].map((name) => [
      name,
      LONGEST,
    ]),
  ),
  businessType: LONG.repeat(64),
  website: `https://acme.example/${'x'.repeat(979)}`,
  line1: LONG.repeat(1_000),
  line2: LONG.repeat(1_000),
};

/** As answers have them, in which one key is spelt otherwise. */
const { displayName: _displayName, ...SHOWN } = { ...FIELDS, displayName: LONGEST, displayname: LONGEST };

const DESCRIBED = {
  name: LONGEST,
  description: LONG.repeat(10_000),
  entity: LONGEST,
  tags: Array.from({ length: 50 }, (_, tag) => String(tag).padStart(2, '0') + LONG.repeat(62)),
};

const ownerAt = (index: number) => ({ user: `${index}-`.padEnd(255, 'u'), title: 't'.repeat(255) });
/** So many of them a business has at most. */
const most = Math.floor(MAX_OWNERS_LENGTH / 510);

type Shown = Readonly<Record<string, unknown>> & {
  readonly _id: string;
  readonly owners: ReadonlyArray<{ readonly user: string }>;
};

describe('the largest records that there can be', function () {
  this.timeout(900_000);
  let env: Record<string, string>;
  let service: ComposedService;
  let api: Api;
  let business: string;

  /** Puts it into the log as one that was not encrypted had it: an owner more costs what the record has come to, by HTTP. */
  const importBusiness = async (): Promise<string> => {
    const plain = await freshDatabase();
    const store = await openStore(plain);
    const facts: ReadonlyArray<Fact> = [
      { type: 'BusinessCreated', data: { ...FIELDS, name: LONGEST } },
      ...Array.from({ length: most - 1 }, (_, index): Fact => ({
        type: 'BusinessOwnerAdded',
        data: { ...ownerAt(index), equity: null },
      })),
    ];
    const id = await appendFacts(store, facts).finally(store.close);
    const exported = await runOperator(['log', 'export'], { env: { ...env, DATABASE_URL: plain, ERASURE: '' } });
    expect(exported.code, exported.stderr).to.equal(0);
    const imported = await runOperator(['log', 'import'], { env, input: exported.stdout });
    expect(imported.code, imported.stderr).to.equal(0);
    return id;
  };

  before(async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'largest-'));
    env = await encryptedInstallation(dataDir);
    business = await importBusiness();
    service = await startComposed({ dataDir, env });
    api = makeApi(service.address, await tokenFor('admin', 'alice'));
  });

  after(async () => {
    await service.stop();
    await rm(env['DATA_DIR'] ?? '', { recursive: true });
  });

  const erase = async (subject: string): Promise<void> => {
    const { code, stdout, stderr } = await runOperator(['erase', 'run', subject, '--basis', 'b', '--yes'], { env });
    expect([code, stdout], stderr).to.deep.equal([0, `${subject}: erased, and nothing of it found any more\n`]);
  };

  it('a document is written, read and erased', async () => {
    const { _id: id } = await api.json<Shown>('POST', '/document', { name: 'Lease' });
    await api.json('PUT', `/document/${id}`, DESCRIBED);
    expect(await api.json('GET', `/document/${id}`)).to.include({ description: DESCRIBED.description });
    const history = await api.json<ReadonlyArray<{ data: object }>>('GET', `/document/${id}/events`);
    expect(history[1]?.data).to.deep.equal({
      changes: DESCRIBED,
      attachedTo: { entity: LONGEST, entityType: 'Document' },
    });
    await erase(`document/${id}`);
    expect((await api.send('GET', `/document/${id}`)).status).to.equal(404);
  });

  it('a business with all owners that it can have is written, read and erased, one of them before', async () => {
    expect(await api.json('POST', '/business', FIELDS)).to.include(SHOWN);
    const path = `/business/${business}`;
    await api.json('POST', `${path}/owner`, ownerAt(most - 1));
    const full = await api.send('POST', `${path}/owner`, ownerAt(most));
    expect([full.status, ((await full.json()) as { code: string }).code]).to.deep.equal([409, 'owners_too_long']);
    const { owners, ...shown } = await api.json<Shown>('GET', path);
    expect(shown).to.include(SHOWN);
    expect([owners.length, owners.at(-1)]).to.deep.equal([most, { ...ownerAt(most - 1), equity: null }]);
    await erase(`owner/${ownerAt(7).user}`);
    const left = await api.json<Shown>('GET', path);
    expect(left.owners.length).to.equal(most - 1);
    expect(left).to.include(SHOWN);
    await erase(path.slice(1));
    expect((await api.send('GET', path)).status).to.equal(404);
    const history = await api.json<ReadonlyArray<{ data: object; name: string }>>('GET', `${path}/events`);
    expect(history.filter(({ name, data }) => Object.keys(data).length > 0 && name !== 'BusinessErased')).to.deep.equal(
      [],
    );
  });
});
