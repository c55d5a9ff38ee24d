import { expect } from 'chai';
import { checkpointAt } from '../../../src/event-sourcing/recorded-event.js';
import { newEntity } from '../../../projections/engine/rows/fold-batch.js';
import { rowOf } from '../../../projections/engine/rows/rows.js';
import {
  aBusiness,
  activeBusiness,
  aParking,
  aProjection,
  aRejected,
  aWriter,
  eventsOf,
  type PlaceUnderTest,
  rowsOf,
  stepTo,
  streamOf,
  whatIsThere,
  written,
} from './storage-under-test.js';

export const rewriting = (place: PlaceUnderTest): void => {
  const arrange = async () => {
    const writer = await aWriter(place(), aProjection());
    const entity = aBusiness({ revision: 3n, name: 'Acme' });
    await written(place(), writer, stepTo(5n), entity, aBusiness());
    return { writer, entity, stream: streamOf(entity), at: checkpointAt(5n) };
  };

  it('writes a row of a lower revision over a higher one, and leaves the checkpoint and other rows', async () => {
    const { writer, entity, stream, at } = await arrange();
    const before = await whatIsThere(place().one, writer.projection);
    const mended = { ...entity, revision: 1n, state: activeBusiness({ name: 'Mended' }), creationPosition: 4n };
    const row = { stream, entity: mended, parking: undefined, mustBeLive: true };
    expect(await place().other.rewrite(writer, at, row)).to.equal('Written');
    const [live] = before.generations;
    const rows = live?.rows.map((each) => (each['id'] === entity.id ? rowOf(writer.projection, mended) : each));
    expect(await whatIsThere(place().one, writer.projection)).to.deep.equal({
      ...before,
      generations: [{ ...live, rows }],
    });
    expect(await place().one.entityRows(writer).read([entity.id])).to.deep.equal(new Map([[entity.id, mended]]));
  });

  it('deletes the row of what has none, with what is parked of it', async () => {
    const { writer, entity, stream, at } = await arrange();
    const parking = aParking(entity, { revision: 4n });
    expect(await place().one.rewrite(writer, at, { stream, entity, parking })).to.equal('Written');
    expect(await place().one.rewrite(writer, at, { stream, entity: undefined, parking: undefined })).to.equal(
      'Written',
    );
    const there = await whatIsThere(place().one, writer.projection);
    expect(there.generations[0]?.rows.map(({ id }) => id)).not.to.include(entity.id);
    expect([there.generations[0]?.rows.length, there.parked]).to.deep.equal([1, []]);
  });

  it('writes a row that was not there', async () => {
    const { writer, at } = await arrange();
    const entity = aBusiness();
    const row = { stream: streamOf(entity), entity, parking: undefined };
    expect(await place().one.rewrite(writer, at, row)).to.equal('Written');
    expect(await place().one.entityRows(writer).read([entity.id])).to.deep.equal(new Map([[entity.id, entity]]));
  });

  it('writes where there is no checkpoint yet', async () => {
    const writer = await aWriter(place(), aProjection(), { role: 'building' });
    const entity = aBusiness();
    const row = { stream: streamOf(entity), entity, parking: undefined };
    expect(await place().one.rewrite(writer, 'start', row)).to.equal('Written');
    expect(await rowsOf(place().one, writer.projection, writer.generation)).to.have.length(1);
  });

  it('parks an entity, parks it anew, and unparks it', async () => {
    const { writer, entity, stream, at } = await arrange();
    const parked = { ...entity, isParked: true };
    const rewrite = async (parking: ReturnType<typeof aParking> | undefined) => {
      const row = { stream, entity: parking === undefined ? entity : parked, parking };
      expect(await place().one.rewrite(writer, at, row)).to.equal('Written');
      const found = await place().other.findParked(stream);
      return found && [found.revision, found.position, found.waiting, found.error];
    };
    const first = aParking(entity, { revision: 4n, position: 4n, waiting: 3 });
    expect(await rewrite(first)).to.deep.equal([4n, 4n, 3, 'from the future']);
    const other = aParking(entity, { revision: 5n, position: 5n, reason: 'another', waiting: 2 });
    expect(await rewrite(other)).to.deep.equal([5n, 5n, 2, 'another']);
    expect(await place().one.entityRows(writer).read([entity.id])).to.deep.equal(new Map([[entity.id, parked]]));
    expect(await rewrite(undefined)).to.equal(undefined);
    expect(await place().one.entityRows(writer).read([entity.id])).to.deep.equal(new Map([[entity.id, entity]]));
  });

  it('leaves an empty row of what is parked and has none', async () => {
    const { writer, entity, stream, at } = await arrange();
    const parking = aParking(entity, { position: 4n });
    expect(await place().one.rewrite(writer, at, { stream, entity: undefined, parking })).to.equal('Written');
    const fresh = newEntity(writer.projection, entity.id, { position: 4n });
    expect(await place().one.entityRows(writer).read([entity.id])).to.deep.equal(
      new Map([[entity.id, { ...fresh, isParked: true }]]),
    );
    expect(await place().one.findParked(stream)).to.deep.include({ revision: 0n, position: 4n, waiting: 1 });
  });

  it('says why a row cannot be stored, and leaves everything as it was', async () => {
    const { writer, entity, stream, at } = await arrange();
    const parking = aParking(entity, { revision: 4n });
    await place().one.rewrite(writer, at, { stream, entity: { ...entity, isParked: true }, parking });
    const before = await whatIsThere(place().one, writer.projection);
    const rejected = aRejected({ id: entity.id });
    for (const again of [undefined, aParking(entity, { revision: 1n })]) {
      const outcome = await place().one.rewrite(writer, at, { stream, entity: rejected, parking: again });
      expect(outcome).to.have.property('rejected').that.includes('0x00');
      expect(await whatIsThere(place().one, writer.projection)).to.deep.equal(before);
    }
  });

  it('is not confused by a batch that follows it', async () => {
    const { writer, entity, stream, at } = await arrange();
    const mended = { ...entity, revision: 1n, state: activeBusiness({ name: 'Mended' }) };
    await place().one.rewrite(writer, at, { stream, entity: mended, parking: undefined });
    const next = { ...mended, revision: 2n, state: activeBusiness({ name: 'Next' }) };
    await written(place(), writer, stepTo(6n, 5n, { last: eventsOf(entity)[0] }), next);
    expect(await place().one.entityRows(writer).read([entity.id])).to.deep.equal(new Map([[entity.id, next]]));
  });

  it('says why a row could not be stored, and writes nothing', async () => {
    const { writer, entity } = await arrange();
    const before = await whatIsThere(place().one, writer.projection);
    expect(await place().one.whyRejected(writer, aRejected())).to.include('0x00');
    expect(await place().one.whyRejected(writer, aRejected({ id: entity.id, revision: 9n }))).to.include('0x00');
    expect(await place().one.whyRejected(writer, aBusiness())).to.equal(undefined);
    expect(await place().one.whyRejected(writer, { ...entity, revision: 9n })).to.equal(undefined);
    // also where a row of a higher revision is there
    expect(await place().one.whyRejected(writer, aRejected({ id: entity.id, revision: 0n }))).to.include('0x00');
    expect(await whatIsThere(place().one, writer.projection)).to.deep.equal(before);
  });
};
