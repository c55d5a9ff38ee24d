import { expect } from 'chai';
import { makeApi } from '../support/api.js';
import { untilCaughtUp } from '../support/readiness.js';
import { runOperator } from '../support/operator.js';
import { startingPostgres } from '../support/postgres.js';
import { outputWith, type ServiceProcess, tokenFor } from '../support/service-process.js';
import { expectNoWarning, expectWarning, verified, warningsOf } from './found.js';
import { places, type Place, runSql } from './places.js';
import { type copied, copiedIn, openSealedService, running, type SealedService, stopped } from './sealed-service.js';

const DIFFER = 'rows differ from their events: businesses; see ops projections verify --repair';
const SHORTER = 'history shorter than its rows: businesses';
const ANOTHER_ID = '0198f000-0000-4000-8000-00000000beef';

for (const [name, openPlace] of Object.entries(places))
  describe(`tampering with the rows of the read models, with the log in ${name}`, function () {
    this.timeout(startingPostgres * 3);
    let place: Place;
    let service: SealedService;
    let discard: () => Promise<void>;
    let copy: Awaited<ReturnType<typeof copied>>;
    let started: ServiceProcess;
    let id: string;

    before(async () => {
      ({ place, service, discard } = await openSealedService(openPlace));
      id = service.streams.first.slice('business-'.length);
    });

    after(() => discard());

    beforeEach(async () => {
      copy = await copiedIn(place, service);
      started = await running(service.settings, copy);
    });

    afterEach(async () => {
      await stopped(started);
      await copy.discard();
    });

    const api = async () => makeApi(started.address, await tokenFor('admin', 'bob'));

    const phone = async (): Promise<string | undefined> =>
      (await (await api()).json<{ readonly phone?: string }>('GET', `/business/${id}`)).phone;

    const forge = (): Promise<unknown> =>
      runSql(copy.url, `update read_model.businesses set body = replace(body, '"6"', '"forged"') where id = '${id}'`);

    const repair = async (): Promise<string> => {
      const env = { ...service.settings, DATABASE_URL: copy.url, DATA_DIR: copy.dataDir };
      return (await runOperator(['projections', 'verify', 'businesses', '--repair'], { env })).stdout;
    };

    it('is found by the service when a row is changed, and goes on lying until it is repaired', async () => {
      expect(await phone()).to.equal('6');
      await forge();
      expect(await phone()).to.equal('forged');
      await expectWarning(started, DIFFER);
      const line = 'row drifted: `npx --no-install ops projections verify --repair` repairs it';
      const output = await outputWith(started, line);
      expect(output).to.include(line).and.to.include('"fields":["body.phone"]');
      expect(output).not.to.include('forged');
      expect(await phone()).to.equal('forged');
      // the history is that of the log
      const events = await (await api()).json<ReadonlyArray<unknown>>('GET', `/business/${id}/events?proof=true`);
      expect(events).to.have.length(5);
      expect(JSON.stringify(events)).not.to.include('forged');
      expect(await verified(service.settings, copy)).to.include({ code: 0 });
      expect(await repair()).to.include(id);
      await expectNoWarning(started, DIFFER);
      expect(await phone()).to.equal('6');
    });

    it('is over, and said to be, when a change of the record writes its row', async () => {
      await (await api()).json('PUT', `/business/${id}`, { phone: '6' });
      await forge();
      await expectWarning(started, DIFFER);
      await (await api()).json('PUT', `/business/${id}`, { city: 'Springfield' });
      await expectNoWarning(started, DIFFER);
      expect(await phone()).to.equal('6');
      expect(await outputWith(started, 'row is as its events say again')).to.include('row is as its events say again');
    });

    it('is found by the service when a row is deleted', async () => {
      await runSql(copy.url, `delete from read_model.businesses where id = '${id}'`);
      await expectWarning(started, DIFFER);
      expect(await outputWith(started, '"kind":"missing"')).to.include('"kind":"missing"');
      expect((await (await api()).send('GET', `/business/${id}`)).status).to.equal(404);
      await repair();
      await expectNoWarning(started, DIFFER);
      expect(await phone()).to.equal('6');
    });

    it('is found by the service when there is a row of a record that never was', async () => {
      const columns = await runSql(
        copy.url,
        `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
         where table_schema = 'read_model' and table_name = 'businesses' and column_name <> 'id'`,
      );
      const { names } = columns.rows[0] as { readonly names: string }; // reason: the column is that
      await runSql(
        copy.url,
        `insert into read_model.businesses (id, ${names}) select '${ANOTHER_ID}', ${names} from read_model.businesses where id = '${id}'`,
      );
      expect((await (await api()).send('GET', `/business/${ANOTHER_ID}`)).status).to.equal(200);
      await expectWarning(started, SHORTER);
      expect(await warningsOf(started)).not.to.include(DIFFER);
      await runSql(copy.url, `delete from read_model.businesses where id = '${ANOTHER_ID}'`);
      await expectNoWarning(started, SHORTER);
    });

    it('is healed, and said by nobody, when a row is marked as parked and its record is changed', async () => {
      await runSql(copy.url, `update read_model.businesses set parked = true where id = '${id}'`);
      await expectWarning(started, DIFFER);
      await (await api()).json('PUT', `/business/${id}`, { phone: '7' });
      await expectNoWarning(started, DIFFER);
      await untilCaughtUp(started, 'businesses');
      expect(await phone()).to.equal('7');
    });
  });
