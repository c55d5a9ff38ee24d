import { expect } from 'chai';
import type { BatchOfChange, EntityBatch, EntityWriter, Step } from '../../../projections/engine/storage.js';
import { aLedger, creation, filled, ledgerBatch, rowsFor, whatIsInLedger } from './ledger-under-test.js';
import {
  aBusiness,
  acquired,
  aParking,
  aProjection,
  aRejected,
  aWriter,
  eventsOf,
  type PlaceUnderTest,
  stepTo,
  streamOf,
  whatIsThere,
  written,
} from './storage-under-test.js';

/** Batches that are written as a part of a change. */
export const writingInAChange = (place: PlaceUnderTest): void => {
  const arrange = async () => {
    const projection = aProjection();
    const live = await aWriter(place(), projection, { holder: 'two' });
    await written(place(), live, stepTo(9n), aBusiness(), aBusiness());
    const building = await aWriter(place(), projection, { role: 'building' });
    await written(place(), building, stepTo(5n), aBusiness());
    return { projection, live, building };
  };
  const writeOf = (writer: EntityWriter, step: Step, batch: Partial<EntityBatch>): BatchOfChange => ({
    rowFor: 'entity',
    writer,
    step,
    batch: { entities: [], parkings: [], events: [], ...batch },
  });

  it('writes the last batch and makes the generation live, at one moment', async () => {
    const { projection, live, building } = await arrange();
    const entity = aBusiness();
    const [last] = eventsOf(entity);
    const write = writeOf(building, stepTo(9n, 5n, { last }), { entities: [entity] });
    const changed = await place().one.change(projection, () => ({
      write,
      makeLive: building.name,
      handOver: { lease: building.lease, to: live.name },
    }));
    expect(changed).to.deep.equal({ created: undefined, leases: [] });
    const { generations } = await whatIsThere(place().other, projection);
    const seen = generations.map((one) => [
      one.name,
      one.role,
      one.checkpoint,
      one.last?.id,
      one.holder,
      one.rows.length,
    ]);
    const at = { commit: 9n, prepare: 9n };
    expect(seen).to.deep.equal([
      [building.name, 'live', at, last?.id, 'two', 2],
      [live.name, 'previous', at, undefined, 'two', 2],
    ]);
  });

  it('must be live before the change, where it must be live to be written', async () => {
    const { projection, building } = await arrange();
    const before = await whatIsThere(place().one, projection);
    const write = writeOf(building, stepTo(10n, 5n, { mustBeLive: true }), { entities: [aBusiness()] });
    const makeLive = building.name;
    expect(await place().one.change(projection, () => ({ write, makeLive }))).to.equal(undefined);
    expect(await whatIsThere(place().one, projection)).to.deep.equal(before);
  });

  it('parks what cannot be stored, and changes the rest', async () => {
    const { projection, building } = await arrange();
    const [rejected, parked, entity] = [aRejected(), aBusiness({ isParked: true }), aBusiness()];
    const batch = {
      entities: [rejected, parked, entity],
      parkings: [aParking(parked, { revision: 1n, position: 8n })],
      events: [...eventsOf(rejected, { position: 7n }), ...eventsOf(parked, { position: 8n }), ...eventsOf(entity)],
    };
    const write = writeOf(building, stepTo(9n, 5n), batch);
    const changed = await place().one.change(projection, () => ({ write, makeLive: building.name }));
    expect(changed).not.to.equal(undefined);
    const there = await whatIsThere(place().other, projection);
    expect(there.parked.map(({ stream, revision }) => [stream, revision])).to.deep.equal([
      [streamOf(rejected), 0n],
      [streamOf(parked), 1n],
    ]);
    expect(there.generations[0]?.rows.map(({ id, parked: isParked }) => [id, isParked])).to.have.deep.members([
      [rejected.id, 'true'],
      [parked.id, 'true'],
      [entity.id, 'false'],
      ...(there.generations[0]?.rows ?? [])
        .filter(({ id }) => ![rejected.id, parked.id, entity.id].includes(id ?? ''))
        .map(({ id }) => [id, 'false']),
    ]);
    expect(there.generations[0]?.rows).to.have.length(4);
  });

  it('undoes what it has taken, and changes nothing, when the batch cannot be written', async () => {
    const { projection, live, building } = await arrange();
    const third = await aWriter(place(), projection, { role: 'building', holder: 'three' });
    await place().one.release(third.lease);
    const taken = await acquired(place().other, building.name, 'two');
    const before = await whatIsThere(place().one, projection);
    const create = { role: 'building', logIdentity: 'b', isRebuild: true, skips: 0, holder: 'one' } as const;
    for (const [writer, from] of [
      [building, 5n],
      [{ ...building, lease: taken }, 6n],
    ] as const) {
      const change = {
        acquire: { holder: 'one', names: [third.name] },
        write: writeOf(writer, stepTo(9n, from), { entities: [aBusiness()] }),
        makeLive: building.name,
        drop: [live.name],
        create,
        markEvidence: [building.name],
      };
      expect(await place().one.change(projection, () => change)).to.equal(undefined);
      expect(await whatIsThere(place().one, projection)).to.deep.equal(before);
    }
    let isEvidence: ReadonlyArray<boolean> = [];
    await place().one.change(projection, (all) => void (isEvidence = all.map((one) => one.isEvidence)));
    expect(isEvidence).to.deep.equal([false, false, false]);
    expect((await place().one.acquire(third.name, 'four', false))?.fencing).to.equal('2');
  });

  it('writes the last rows of a ledger and makes it live', async () => {
    const projection = aLedger();
    const rows = rowsFor(projection, [creation(), creation(), creation()]);
    const live = await aWriter(place(), projection);
    const building = await aWriter(place(), projection, { role: 'building' });
    await filled(place(), building, stepTo(5n), rows.slice(0, 1));
    const batch = ledgerBatch(rows.slice(1), ledgerBatch(rows.slice(0, 1)).edge);
    const write = { rowFor: 'event', writer: building, step: stepTo(9n, 5n), batch } as const;
    await place().one.change(projection, () => ({ write, makeLive: building.name, drop: [live.name] }));
    const stored = place().other.storedLedger(projection.name);
    expect((await stored.rows(0n, 10)).map(({ index }) => index)).to.deep.equal([0n, 1n, 2n]);
    const there = await whatIsInLedger(place().one, building);
    expect(there.tiles?.[0]).to.equal(ledgerBatch(rows).tiles[0]?.hashes.toString('hex'));
    expect(await place().one.generations(projection.name)).to.deep.equal([
      { ...building.generation, role: 'live', checkpoint: { commit: 9n, prepare: 9n } },
    ]);
  });
};
