import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { eventHash, GENESIS_HASH, macText, newSalt, seal } from '../../src/event-sourcing/envelope.js';
import { decisionStream } from '../../src/event-sourcing/operators/decision-events.js';
import { makeEventKey } from '../../src/event-sourcing/event-key.js';
import { makeApi } from '../support/api.js';
import { beforeProgram } from '../support/before-program.js';
import { askRun } from '../support/once-a-run/ask.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { outputWith, type ServiceProcess, startService, tokenFor } from '../support/service-process.js';
import { LIFT_GUARD, PUT_GUARD_BACK } from '../support/tamper.js';
import { expectFound, expectNoWarning, expectWarning, verified, warningsOf } from './found.js';
import { objectOf, rechained, withMetadata } from './history.js';
import { places, type Place, runSql } from './places.js';
import type { copied } from './sealed-service.js';
import {
  copiedIn,
  EVENT_KEY,
  openSealedService,
  newestCheckpoint,
  running,
  type SealedService,
  stopped,
} from './sealed-service.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const GUARD = 'the guard of the history is lifted: see ops log verify';
const LOG_CHANGED = 'the log, or what is kept of it, was changed: see ops log verify';
const UNSIGNED = 'events are without a checkpoint for more than 30 s: none is signed';
const DIFFER = 'rows differ from their events: businesses; see ops projections verify --repair';
const ANOTHER_ID = '0198f000-0000-7000-8000-00000000beef';
const DAYS_400 = 400 * 24 * 3_600_000;

/** Has a process read a clock that is 400 days behind. */
const CLOCK_SET_BACK = `
  const { now } = Date;
  globalThis.Date = class extends Date {
    constructor(...given) { super(...(given.length === 0 ? [now() - ${DAYS_400}] : given)); }
    static now() { return now() - ${DAYS_400}; }
  };
`;

for (const [name, openPlace] of Object.entries(places))
  describe(`who is told of tampering, with the log in ${name}`, function () {
    this.timeout(startingPostgres * 3);
    let place: Place;
    let service: SealedService;
    let discard: () => Promise<void>;
    let copy: Awaited<ReturnType<typeof copied>>;
    let id: string;

    before(async () => {
      ({ place, service, discard } = await openSealedService(openPlace));
      id = service.streams.first.slice('business-'.length);
    });

    after(() => discard());

    beforeEach(async () => {
      copy = await copiedIn(place, service);
    });

    afterEach(() => copy.discard());

    const ops = (...args: ReadonlyArray<string>) =>
      runOperator(args, { env: { ...service.settings, DATABASE_URL: copy.url, DATA_DIR: copy.dataDir } });

    const change = async ({ address }: ServiceProcess, phone: string, token: string): Promise<number> =>
      (await makeApi(address, token).send('PUT', `/business/${id}`, { phone })).status;

    for (const [table, trigger] of [
      ['seal.checkpoint', 'never_changed'],
      ['seal.archived', 'never_changed'],
      ['seal.cosigned', 'never_changed'],
      ...(name === 'Postgres'
        ? ([
            ['event_log.event', 'never_changed'],
            ['event_log.head', 'only_grows'],
          ] as const)
        : []),
    ] as const)
      it(`is every process, and who verifies the log, while the guard of ${table} is lifted (${trigger})`, async () => {
        const started = await running(service.settings, copy);
        expect(await warningsOf(started)).to.deep.equal([]);
        await runSql(copy.url, `alter table ${table} disable trigger ${trigger}`);
        await expectWarning(started, GUARD);
        const { code, stderr } = await ops('log', 'verify');
        expect([code, stderr.includes(`the guard of the history is lifted, ${table}: ${trigger}`)]).to.deep.equal([
          0,
          true,
        ]);
        await runSql(copy.url, `alter table ${table} enable always trigger ${trigger}`);
        await expectNoWarning(started, GUARD);
        await stopped(started);
        expect((await ops('log', 'verify')).stderr).to.equal('');
      });

    it('is who verifies the log, and the service at its next pass, when a row of the ledger is emptied', async () => {
      const started = await running({ ...service.settings, VERIFY_PERIOD: '10s' }, copy);
      await runSql(copy.url, `update read_model.ledger set fields = '{}', body = '{}' where idx = 5`);
      expectFound(await verified(service.settings, copy), ['ledger-changed:']);
      await expectWarning(started, LOG_CHANGED);
      await stopped(started);
    });

    if (name === 'Postgres')
      it('is the service soon, and who verifies the log, when a decision to skip a good event is made up', async () => {
        const started = await running(service.settings, copy);
        await outputWith(started, 'the whole log was verified');
        const stream = decisionStream('businesses');
        const [skipped] = service.history;
        const about = { projection: 'businesses', stream: service.streams.first, revision: 0, eventId: skipped!.id };
        const fact = {
          ...{ id: ANOTHER_ID, stream, revision: 0n, type: 'ProjectionEventSkipped', schemaVersion: 2 },
          data: { ...about, reason: 'a good one' },
          ...{ at: '2026-01-02T03:04:05.678Z', actor: 'olga', previousHash: GENESIS_HASH },
          ...{ correlationId: 'one', causationId: 'one', request: 'null' },
        };
        const { data, metadata } = seal(fact, newSalt(systemRuntime.random));
        await runSql(
          copy.url,
          LIFT_GUARD,
          'update event_log.head set position = position + 1',
          `insert into event_log.event (position, stream, revision, id, type, data, metadata)
             select position, '${stream}', 0, '${ANOTHER_ID}', '${fact.type}', '${data}', '${metadata}' from event_log.head`,
          PUT_GUARD_BACK,
        );
        await expectWarning(started, LOG_CHANGED);
        await stopped(started);
        expectFound(await verified(service.settings, copy), ['mac-missing:']);
      });

    it('is nobody when the list of event keys has a key of his own: it is trusted whole', async () => {
      const own = 'a key of his own, which somebody adds at the end of the list';
      const another = withMetadata({ ...service.history.at(-1)!, id: ANOTHER_ID }, { actor: 'alice' });
      const chained = rechained([...service.history, another], service.streams.first, 'none').at(-1)!;
      // only this one is his: in the chain of those that are as they were
      const previousHash = objectOf(service.history.findLast(({ stream }) => stream === another.stream)!.metadata)[
        'hash'
      ]!;
      const { hash: _hash, ...rest } = objectOf(chained.metadata);
      const envelope = { ...rest, previousHash };
      const mac = makeEventKey(own).macOf(macText(chained, envelope));
      const hash = eventHash(chained, { ...envelope, mac });
      await place.write(copy.url, [...service.history, withMetadata(chained, { previousHash, mac, hash })]);
      expectFound(await verified(service.settings, copy), ['mac-unknown-key:']);
      const file = path.join(copy.dataDir, 'keys');
      await writeFile(file, `${EVENT_KEY}\n${own}\n`, { mode: 0o600 });
      const { EVENT_KEY: _, ...settings } = service.settings;
      expect(await verified({ ...settings, EVENT_KEY_FILE: file }, copy)).to.deep.include({ code: 0, faults: [] });
    });

    it('is nobody when somebody who has the secret of the tokens acts as another', async () => {
      const started = await running(service.settings, copy);
      expect(await change(started, '7', await tokenFor('admin', 'chief-auditor'))).to.equal(200);
      await newestCheckpoint(copy.url, 11);
      await stopped(started);
      expect(objectOf((await place.read(copy.url)).at(-1)!.metadata)).to.include({ actor: 'chief-auditor' });
      expect(await verified(service.settings, copy)).to.deep.include({ code: 0, faults: [] });
    });

    it('is nobody when the clock of the machine is set back; only the id of an event on an old record differs', async () => {
      const program = [...beforeProgram(CLOCK_SET_BACK), path.join(await askRun('build'), 'src/main.js')];
      const env = { ...service.settings, DATABASE_URL: copy.url };
      const started = await startService({ dataDir: copy.dataDir, env, program });
      const now = Date.now;
      Date.now = () => now() - DAYS_400;
      const token = await tokenFor('admin', 'bob').finally(() => (Date.now = now));
      const api = makeApi(started.address, token);
      await api.json('POST', '/business', { name: 'backdated' });
      expect(await change(started, '7', token)).to.equal(200);
      await newestCheckpoint(copy.url, 12);
      await stopped(started);
      const [created, updated] = (await place.read(copy.url)).slice(-2);
      const [before, at, createdAt] = [service.history.at(-1)!, updated!, created!].map(({ metadata }) =>
        // reason: RFC 3339, as the service writes it
        Date.parse(objectOf(metadata)['at'] as string),
      ) as [number, number, number];
      expect(Date.now() - createdAt).to.be.greaterThan(DAYS_400 - 3_600_000);
      // never before the event before it
      expect(at).to.equal(before);
      // a UUIDv7 begins with its time
      const made = parseInt(updated!.id.replaceAll('-', '').slice(0, 12), 16);
      expect(at - made).to.be.greaterThan(DAYS_400 - 3_600_000);
      expect(await verified(service.settings, copy)).to.deep.include({ code: 0, faults: [] });
    });

    it('is every process that seals when another one has SEALING=false, and who reads the decisions in the log', async () => {
      const projector = await running({ ...service.settings, SEALING: 'false', PROJECTOR_ONLY: 'true' }, copy);
      const api = await running({ ...service.settings, API_ONLY: 'true' }, copy);
      expect(await change(api, '7', await tokenFor('admin', 'bob'))).to.equal(200);
      await expectWarning(api, UNSIGNED, 90_000);
      expect(await warningsOf(projector)).not.to.include(UNSIGNED);
      const switched = (await place.read(copy.url)).filter(({ type }) => type === 'SealingSwitched');
      expect(switched.map(({ data }) => data)).to.deep.equal(['{"isOn":false}']);
      for (const each of [api, projector]) await stopped(each);
    });

    for (const [position, guard, lift] of name === 'Postgres'
      ? ([
          [0, 'behind_the_beginning', 'alter table event_log.event drop constraint behind_the_beginning'],
          [-5, 'behind_the_beginning', 'alter table event_log.event drop constraint behind_the_beginning'],
          [100_000, 'beyond event_log.head', 'alter table event_log.event disable trigger never_beyond_head'],
        ] as const)
      : [])
      it(`is who verifies the log, and the service at its next pass, when a row is put beside the log, at ${position}`, async () => {
        const last = service.history.findLast(({ stream }) => stream === service.streams.first)!;
        const revision = last.revision + 1n;
        const forged = { ...last, id: ANOTHER_ID, revision, data: '{"changes":{"phone":"forged"}}' };
        const { data, metadata } = rechained([...service.history, forged], last.stream, 'none').at(-1)!;
        const insert = `insert into event_log.event (position, stream, revision, id, type, data, metadata)
          values (${position}, '${last.stream}', ${revision}, '${ANOTHER_ID}', '${last.type}', '${data}', '${metadata}')`;
        const refused: unknown = await runSql(copy.url, insert).catch((error: unknown) => error);
        expect(String(refused)).to.include(guard);
        await runSql(copy.url, lift, insert);
        expectFound(await verified(service.settings, copy), [
          `event-outside: a row at position ${position} is beside the log`,
        ]);
        const started = await running(service.settings, copy);
        const api = makeApi(started.address, await tokenFor('admin', 'bob'));
        expect(await api.json('GET', `/business/${id}`)).to.include({ phone: '6' });
        if (position <= 0) expect(await api.json('GET', `/business/${id}/events`)).to.have.length(5);
        await expectWarning(started, LOG_CHANGED);
        await stopped(started);
      });

    it('is who asks for a pack of a record whose end was cut off', async () => {
      const out = path.join(copy.dataDir, 'cut.zip');
      const record = `business/${id}`;
      expect((await ops('audit', 'pack', record, '--out', out)).code).to.equal(0);
      const { stream } = service.history.at(-1)!;
      expect(stream).to.equal(service.streams.first);
      await place.write(copy.url, service.history.slice(0, -1));
      const refused = await ops('audit', 'pack', record, '--out', `${out}.another`);
      expect([refused.code, refused.stderr]).to.deep.equal([
        1,
        `no pack was made: the end of ${stream} was cut off: the log has revisions 0 to 3 of it, and the ledger has revision 4 as well ("ops log verify" says what else is missing)\n`,
      ]);
    });

    it('is who looks how many events of an imported history have no mac', async () => {
      const file = path.join(copy.dataDir, 'invented.ndjson');
      const invented = service.history
        .filter(({ stream }) => stream === service.streams.first)
        .map((event) => withMetadata(event, { at: '2024-01-01T00:00:00.000Z' }));
      const lines = rechained(invented, service.streams.first, 'none').map(
        ({ stream, revision, id: eventId, type, data, metadata }, position) =>
          JSON.stringify({
            ...{ position: String(position), stream, revision: revision.toString(), id: eventId, type },
            ...{ data: objectOf(data), metadata: objectOf(metadata) },
          }),
      );
      await writeFile(file, `${lines.join('\n')}\n`);
      const env = { EVENT_KEY, DATABASE_URL: await freshDatabase() };
      const imported = await runOperator(['log', 'import', file, '--user', 'mallory'], { env });
      expect([imported.code, imported.stdout]).to.deep.equal([
        0,
        'imported 5 events in 1 stream\n5 events without a mac: nobody can tell who made them up. That they came with this command is recorded in the log; from index 5 on every event must have a mac\n',
      ]);
      expect((await runOperator(['log', 'verify'], { env })).stdout).to.match(
        /^6 events in 2 streams, every chain intact; 1 event with a mac, 5 without\n/,
      );
    });

    it('is nobody when a view answers the queries of the service otherwise than those that compare', async () => {
      const { rows } = await runSql(
        copy.url,
        `select string_agg(quote_ident(attname) || case when attname = 'body' then '_' else '' end, ', ' order by attnum) as names,
           string_agg(case when attname = 'body' then
             $$case when current_setting('application_name') like 'read-model%' then replace(body, '"6"', '"forged"') else body end$$
             else quote_ident(attname) end || ' as ' || quote_ident(attname), ', ' order by attnum) as forged,
           (select table_name from read_model.instance where projection = 'businesses' and role = 'live') as live
         from pg_attribute where attrelid = 'read_model.businesses'::regclass and attnum > 0`,
      );
      const [{ forged, live }] = rows as [{ readonly forged: string; readonly live: string }]; // reason: the columns are those
      await runSql(
        copy.url,
        `create or replace view read_model.businesses as select ${forged} from read_model.${live}`,
      );
      const started = await running(service.settings, copy);
      const api = makeApi(started.address, await tokenFor('admin', 'bob'));
      expect(await api.json('GET', `/business/${id}`)).to.include({ phone: 'forged' });
      expect((await ops('projections', 'verify', 'businesses')).code).to.equal(0);
      // what the log says is not in the view
      expect(await (await api.send('GET', `/business/${id}/events?proof=true`)).text()).not.to.include('forged');
      expect(await warningsOf(started)).not.to.include(DIFFER);
      await stopped(started);
      expect(await verified(service.settings, copy)).to.include({ code: 0 });
    });

    if (name === 'Postgres')
      it('is who has a checkpoint of each, when a copy goes on beside the installation that it was made of', async () => {
        const [backup, dataDir] = await Promise.all(
          ['backup-', 'second-'].map((prefix) => mkdtemp(path.join(tmpdir(), prefix))),
        );
        const second = { url: await freshDatabase(), dataDir: dataDir! };
        expect((await ops('backup', backup!)).code).to.equal(0);
        const env = { ...service.settings, DATABASE_URL: second.url, DATA_DIR: second.dataDir };
        const restored = await runOperator(['restore', backup!, '--replace'], { env });
        expect(restored.code, restored.stderr).to.equal(0);
        const token = await tokenFor('admin', 'bob');
        const notes: Array<string> = [];
        for (const [kept, phone] of [
          [copy, '7'],
          [second, '8'],
        ] as const) {
          const started = await running(service.settings, kept);
          expect(await change(started, phone, token)).to.equal(200);
          notes.push(await newestCheckpoint(kept.url, 11));
          await stopped(started);
          expect(await verified(service.settings, kept)).to.include({ code: 0 });
        }
        expect(notes[0]).not.to.equal(notes[1]);
        const file = path.join(backup!, 'of the first');
        await writeFile(file, notes[0]!);
        expectFound(await verified(service.settings, second, '--against', file), ['checkpoint-differs:']);
        for (const directory of [backup!, dataDir!]) await rm(directory, { recursive: true });
      });
  });
