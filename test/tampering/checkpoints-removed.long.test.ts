import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { makeApi } from '../support/api.js';
import { startingPostgres } from '../support/postgres.js';
import { outputWith, tokenFor } from '../support/service-process.js';
import { expectFound, expectWarning, verified, warningsOf } from './found.js';
import { places, type Place, runSql } from './places.js';
import {
  copied,
  copiedIn,
  type Kept,
  openSealedService,
  newestCheckpoint,
  running,
  type SealedService,
  stopped,
} from './sealed-service.js';

const WARNING = 'checkpoints were removed from the file storage: see ops log verify';

type Copy = Awaited<ReturnType<typeof copied>>;

for (const [name, openPlace] of Object.entries(places))
  describe(`checkpoints that are taken back, with the log in ${name}`, function () {
    this.timeout(startingPostgres * 3);
    let place: Place;
    let service: SealedService;
    let discard: () => Promise<void>;
    let copy: Copy;
    let checkpoint: string;

    before(async () => {
      ({ place, service, discard } = await openSealedService(openPlace));
    });

    after(() => discard());

    const changed = async (kept: Kept, phone: string, size: number): Promise<string> => {
      const started = await running(service.settings, kept);
      const api = makeApi(started.address, await tokenFor('admin', 'bob'));
      await api.json('PUT', `/business/${service.streams.first.slice('business-'.length)}`, { phone });
      const note = await newestCheckpoint(kept.url, size);
      await stopped(started);
      return note;
    };

    /** Of 11 and of 12 events, each put into the storage of this copy. */
    beforeEach(async () => {
      copy = await copiedIn(place, service);
      await changed(copy, '11', 11);
      checkpoint = await changed(copy, '12', 12);
    });

    afterEach(() => copy.discard());

    const checkpointsOf = ({ dataDir }: Kept): string => path.join(dataDir, 'files', 'checkpoints');

    /** How many there are in the files: how many were put there before depends on how fast the machine was. */
    const archivedIn = async (kept: Kept): Promise<number> =>
      (await readdir(checkpointsOf(kept), { recursive: true, withFileTypes: true })).filter((each) => each.isFile())
        .length;

    const removeArchived = async (kept: Kept, size: number): Promise<void> => {
      const found = await readdir(checkpointsOf(kept), { recursive: true });
      const file = found.find((entry) => entry.endsWith(`0000/${String(size).padStart(4, '0')}`));
      await rm(path.join(checkpointsOf(kept), file ?? 'none'));
    };

    it('are there where nobody has removed them', async () => {
      const { code, faults, counts } = await verified(service.settings, copy);
      expect([code, faults]).to.deep.equal([0, []]);
      expect(counts).to.have.nested.property('checkpoints.putElsewhere', await archivedIn(service.now));
    });

    it('are found by the service and by log verify when the newest one is removed from the files', async () => {
      await removeArchived(copy, 12);
      const found = await verified(service.settings, copy);
      expectFound(found, ['checkpoint-removed: the checkpoint of 12 events']);
      expect(found.faults).to.have.length(1);
      const started = await running(service.settings, copy);
      await expectWarning(started, WARNING);
      const line = 'a checkpoint that was put into the file storage is not there any more: see ops log verify';
      expect(await outputWith(started, line)).to.include(line);
      await stopped(started);
    });

    it('are found by log verify when one in between is removed from the files', async () => {
      await removeArchived(copy, 11);
      const found = await verified(service.settings, copy);
      expectFound(found, ['checkpoint-removed: the checkpoint of 11 events']);
      expect(found.faults).to.have.length(1);
    });

    it('are found when all of them are removed from the files', async () => {
      await rm(checkpointsOf(copy), { recursive: true });
      const found = await verified(service.settings, copy);
      expectFound(found, ['checkpoint-removed: the checkpoint of 11', 'checkpoint-removed: the checkpoint of 12']);
      const started = await running(service.settings, copy);
      await expectWarning(started, WARNING);
      await stopped(started);
    });

    it('are found by log verify when all of them are removed from Postgres', async () => {
      await runSql(copy.url, 'alter table seal.checkpoint disable trigger user', 'truncate seal.checkpoint');
      const wanted = ['checkpoint-missing: the checkpoint of 11', 'checkpoint-missing: the checkpoint of 12'];
      expectFound(await verified(service.settings, copy), wanted);
      // nobody heals that, and the service goes on
      await changed(copy, '13', 13);
      expectFound(await verified(service.settings, copy), wanted.slice(0, 1));
    });

    it('are no fault in a storage that was moved, which is said', async () => {
      const dataDir = await mkdtemp(path.join(tmpdir(), 'moved-'));
      await cp(copy.dataDir, dataDir, { recursive: true });
      await rm(checkpointsOf({ ...copy, dataDir }), { recursive: true });
      const moved = { ...copy, dataDir };
      const before = await verified(service.settings, moved);
      expect([before.code, before.faults]).to.deep.equal([0, []]);
      expect(before.counts).to.have.nested.property('checkpoints.putElsewhere', await archivedIn(copy));
      const started = await running(service.settings, moved);
      await newestCheckpoint(copy.url, 12);
      expect(await warningsOf(started)).not.to.include(WARNING);
      await stopped(started);
      await rm(dataDir, { recursive: true });
    });

    it('are found by who kept one, and by nobody else, when database and files are taken back together', async () => {
      const back = await copied(service.earlier);
      await place.write(back.url, service.history.slice(0, service.earlier.events));
      const { code, faults } = await verified(service.settings, back);
      expect([code, faults]).to.deep.equal([0, []]);
      const file = path.join(tmpdir(), `${path.basename(back.dataDir)}.checkpoint`);
      await writeFile(file, checkpoint);
      expectFound(await verified(service.settings, back, '--against', file), ['checkpoint-beyond-log:']);
      await rm(file);
      await back.discard();
    });
  });
