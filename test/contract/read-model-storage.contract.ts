import { expect } from 'chai';
import { changing } from './read-model-storage/changing.js';
import { checkpoints } from './read-model-storage/checkpoints.js';
import { comparing } from './read-model-storage/comparing.js';
import { comparingLedgers } from './read-model-storage/comparing-ledgers.js';
import { entityRows, type Through } from './read-model-storage/entity-rows.js';
import { fences } from './read-model-storage/fences.js';
import { generations } from './read-model-storage/generations.js';
import { ledgerFences } from './read-model-storage/ledger-fences.js';
import { ledgers } from './read-model-storage/ledgers.js';
import { leases } from './read-model-storage/leases.js';
import { parking } from './read-model-storage/parking.js';
import { rewriting } from './read-model-storage/rewriting.js';
import { stored } from './read-model-storage/stored.js';
import { writingInAChange } from './read-model-storage/writing-in-a-change.js';
import { aGeneration, aProjection, type Place } from './read-model-storage/storage-under-test.js';

const directly: Through = (storage, work) => work(storage);
const whileWriting: Through = (storage, work) => storage.whileWriting(work);

/** What every storage of read models must do. `make` makes a place in which nothing was ever kept. */
export const readModelStorageContract = (name: string, make: () => Promise<Place>): void => {
  describe(`read model storage: ${name}`, function () {
    this.timeout(60_000);

    let made: Place;
    before(async () => {
      made = await make();
    });
    after(() => made.close());
    const place = () => made;

    it('has nothing before anything was made', async () => {
      expect(await made.one.isMigrated()).to.equal(false);
      expect(await made.one.generations('businesses')).to.deep.equal([]);
      expect(await made.one.statuses()).to.deep.equal([]);
    });

    it('is made by any number of processes at once, and again', async () => {
      await Promise.all([made.one, made.other, made.one, made.other].map((storage) => storage.migrate()));
      expect(await made.other.isMigrated()).to.equal(true);
      const live = await aGeneration(made, aProjection(), 'live');
      await made.other.migrate();
      expect(await made.one.isMigrated()).to.equal(true);
      expect((await made.one.statuses()).map((status) => status.name)).to.deep.equal([live.name]);
      expect(await made.one.countParked()).to.deep.equal({});
    });

    describe('in use', () => {
      before(async () => {
        await made.one.migrate();
        await made.keepLeases();
      });

      describe('generations', () => generations(place));
      describe('changing generations', () => changing(place));
      describe('leases', () => leases(place));
      describe('fences', () => fences(place));
      describe('rows of entities', () => entityRows(place, directly));
      describe('rows of entities while it writes', () => entityRows(place, whileWriting));
      describe('parking', () => parking(place, directly));
      describe('parking while it writes', () => parking(place, whileWriting));
      describe('rewriting', () => rewriting(place));
      describe('writing in a change', () => writingInAChange(place));
      describe('stored rows', () => stored(place));
      describe('comparing', () => comparing(place));
      describe('comparing ledgers', () => comparingLedgers(place));
      describe('checkpoints', () => checkpoints(place));
      describe('ledgers', () => ledgers(place, directly));
      describe('ledgers while it writes', () => ledgers(place, whileWriting));
      describe('fences of ledgers', () => ledgerFences(place));
    });
  });
};
