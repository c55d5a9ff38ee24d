import { expect } from 'chai';
import pg from 'pg';
import { makeApi } from '../support/api.js';
import { scrape, untilMetrics, valueIn } from '../support/readiness.js';
import { startingPostgres } from '../support/postgres.js';
import { outputWith, type ServiceProcess, tokenFor } from '../support/service-process.js';
import { expectNoWarning, expectWarning, verified } from './found.js';
import { places, type Place, runSql } from './places.js';
import type { copied } from './sealed-service.js';
import {
  copiedIn,
  type Kept,
  openSealedService,
  newestCheckpoint,
  running,
  type SealedService,
} from './sealed-service.js';

const WARNING = 'events are without a checkpoint for more than 30 s: none is signed';

/** The advisory lock of who signs. */
const SIGNING_LOCK = 7_310_485_198;

/** By when the warning is there: half a minute, and what a busy machine adds. */
const WITHIN_MS = 90_000;

for (const [name, openPlace] of Object.entries(places))
  describe(`events that nobody signs, with the log in ${name}`, function () {
    this.timeout(startingPostgres * 3);
    let place: Place;
    let service: SealedService;
    let discard: () => Promise<void>;
    let copy: Awaited<ReturnType<typeof copied>>;
    let projector: ServiceProcess;
    /** Another process of the same service, which has no key of the checkpoints. */
    let other: ServiceProcess;

    before(async () => {
      ({ place, service, discard } = await openSealedService(openPlace));
    });

    after(() => discard());

    beforeEach(async () => {
      copy = await copiedIn(place, service);
      const { CHECKPOINT_KEY: _, ...keyless } = service.settings;
      projector = await running({ ...service.settings, PROJECTOR_ONLY: 'true' }, copy);
      other = await running({ ...keyless, API_ONLY: 'true' }, copy);
    });

    afterEach(async () => {
      for (const { kill, exited } of [projector, other]) {
        kill('SIGKILL');
        await exited;
      }
      await copy.discard();
    });

    const change = async (phone: string): Promise<number> => {
      const api = makeApi(other.address, await tokenFor('admin', 'bob'));
      return (await api.send('PUT', `/business/${service.streams.first.slice('business-'.length)}`, { phone })).status;
    };

    const expectWarned = async (warned: ReadonlyArray<ServiceProcess>): Promise<void> => {
      const began = performance.now();
      for (const each of warned) {
        await expectWarning(each, WARNING, WITHIN_MS);
        expect(valueIn(await scrape(each), 'seal_unsigned_seconds')).to.be.greaterThan(30);
      }
      // not before: as a rule a checkpoint is a second old
      expect(performance.now() - began).to.be.greaterThan(25_000);
    };

    const expectSignedAgain = async (signed: Kept, size: number): Promise<void> => {
      await newestCheckpoint(signed.url, size);
      for (const each of [projector, other]) {
        await expectNoWarning(each, WARNING);
        // it looks every two seconds
        await untilMetrics(each, (text) => valueIn(text, 'seal_newest_events') === size);
      }
      expect(await verified(service.settings, signed)).to.include({ code: 0 });
    };

    it('are a warning of every process while somebody else holds the lock of who signs', async () => {
      const insider = new pg.Client({ connectionString: copy.url });
      await insider.connect();
      await insider.query('select pg_advisory_lock($1)', [SIGNING_LOCK]);
      expect(await change('+49 1')).to.equal(200);
      await expectWarned([projector, other]);
      await insider.end();
      await expectSignedAgain(copy, 11);
    });

    it('are a warning of every process while a trigger swallows the checkpoints', async () => {
      await runSql(
        copy.url,
        `create function seal.swallow() returns trigger language plpgsql as 'begin return null; end'`,
        'create trigger swallow before insert on seal.checkpoint for each row execute function seal.swallow()',
      );
      expect(await change('+49 1')).to.equal(200);
      expect(await outputWith(projector, 'look at the triggers and rules of seal.checkpoint')).to.include(
        'no checkpoint is signed now; trying again',
      );
      await expectWarned([projector, other]);
      await runSql(copy.url, 'drop trigger swallow on seal.checkpoint');
      await expectSignedAgain(copy, 11);
    });

    it('are counted by the process that is left when the one that signs was killed', async () => {
      projector.kill('SIGKILL');
      await projector.exited;
      expect(await change('+49 1')).to.equal(200);
      // nobody writes the rows either: `/readyz` is 503, and has no warnings then
      const text = await untilMetrics(other, (now) => valueIn(now, 'seal_unsigned_seconds') > 30, WITHIN_MS);
      expect(valueIn(text, `readiness_warning{warning="${WARNING}"}`)).to.equal(1);
      projector = await running({ ...service.settings, PROJECTOR_ONLY: 'true' }, copy);
      await expectSignedAgain(copy, 11);
    });
  });
