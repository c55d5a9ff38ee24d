import { expect } from 'chai';
import { rowOf } from '../../../projections/engine/rows/rows.js';
import { foldBatch, groupByStream, newEntity, NOT_A_UUID } from '../../../projections/engine/rows/fold-batch.js';
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
  written,
} from './storage-under-test.js';
import type { Through } from './entity-rows.js';
import type { EntityBatch, EntityWriter } from '../../../projections/engine/storage.js';

const NONE: EntityBatch = { entities: [], parkings: [], events: [] };

export const parking = (place: PlaceUnderTest, through: Through): void => {
  const arrange = () => aWriter(place(), aProjection());
  const park = (writer: EntityWriter, step: ReturnType<typeof stepTo>, batch: Partial<EntityBatch>) =>
    through(place().one, (rows) => rows.entityRows(writer).writeWithParking(step, { ...NONE, ...batch }));
  const parkedOf = async ({ projection }: EntityWriter) =>
    (await place().other.listParked(10_000)).filter((one) => one.projection === projection.name);

  it('writes the entities and records what is parked', async () => {
    const writer = await arrange();
    const [entity, parked] = [aBusiness(), aBusiness()];
    await written(place(), writer, stepTo(5n), parked);
    const parkings = [aParking(parked, { revision: 1n, position: 7n, waiting: 2 })];
    const batch = { entities: [entity, { ...parked, isParked: true }], parkings, events: eventsOf(entity) };
    expect(await park(writer, stepTo(8n, 5n), batch)).to.deep.equal({ role: 'live', parkings });
    const own = place().other.entityRows(writer);
    expect(await own.read([entity.id, parked.id])).to.deep.equal(
      new Map([
        [entity.id, entity],
        [parked.id, { ...parked, isParked: true }],
      ]),
    );
    const [found, ...others] = await parkedOf(writer);
    expect(others).to.deep.equal([]);
    expect(found?.since).to.be.an.instanceOf(Date);
    expect(found).to.deep.equal({
      projection: writer.projection.name,
      stream: streamOf(parked),
      revision: 1n,
      position: 7n,
      eventId: parkings[0]?.event.id,
      error: 'from the future',
      codeVersion: writer.generation.version,
      waiting: 2,
      since: found?.since,
    });
    expect(await place().one.findParked(streamOf(parked))).to.deep.equal(found);
    expect((await place().one.generations(writer.projection.name))[0]?.checkpoint).to.deep.equal({
      commit: 8n,
      prepare: 8n,
    });
  });

  it('parks entities whose row cannot be stored at their first event, and writes the others', async () => {
    const writer = await arrange();
    const [before, rejected, fresh, entity] = [
      aBusiness({ name: 'Before' }),
      aRejected({ revision: 2n }),
      aRejected(),
      aBusiness(),
    ];
    const there = { ...before, id: rejected.id };
    await written(place(), writer, stepTo(5n), there);
    const events = [
      ...eventsOf(rejected, { revision: 1n, position: 6n, count: 2 }),
      ...eventsOf(fresh, { position: 8n, count: 3 }),
      ...eventsOf(entity, { position: 11n }),
    ];
    const outcome = await park(writer, stepTo(11n, 5n), { entities: [rejected, fresh, entity], events });
    expect(outcome?.role).to.equal('live');
    const parkings = outcome?.parkings ?? [];
    expect(parkings.map(({ event, waiting }) => [event.stream, event.revision, event.position, waiting])).to.deep.equal(
      [
        [streamOf(rejected), 1n, 6n, 2],
        [streamOf(fresh), 0n, 8n, 3],
      ],
    );
    for (const { reason } of parkings) expect(reason).to.match(/^the row was rejected: .*UTF8.*0x00/);
    const found = (await parkedOf(writer)).map(({ stream, revision, waiting, error }) => [
      stream,
      revision,
      waiting,
      error,
    ]);
    expect(found).to.deep.equal(
      parkings.map(({ event, waiting, reason }) => [event.stream, event.revision, waiting, reason]),
    );
    const rows = new Map(
      (await rowsOf(place().one, writer.projection, writer.generation)).map((row) => [row['id'], row]),
    );
    expect(rows.get(rejected.id)).to.deep.equal({ ...rowOf(writer.projection, there), parked: 'true' });
    expect(rows.get(entity.id)).to.deep.equal(rowOf(writer.projection, entity));
    const nothing = Object.fromEntries(Object.keys(rows.get(entity.id) ?? {}).map((column) => [column, null]));
    expect(rows.get(fresh.id)).to.deep.equal({
      ...nothing,
      ...{ id: fresh.id, place: '5', revision: '-1', parked: 'true' },
    });
  });

  it('reads the empty row of a parked entity as one before its first event', async () => {
    const writer = await arrange();
    const fresh = aRejected({ creationPosition: 8n });
    await park(writer, stepTo(8n), { entities: [fresh], events: eventsOf(fresh, { position: 8n }) });
    const read = await place().one.entityRows(writer).read([fresh.id]);
    expect(read.get(fresh.id)).to.deep.equal({
      ...newEntity(writer.projection, fresh.id, { position: 8n }),
      isParked: true,
    });
  });

  it('blames the row for what is parked and rejected at once', async () => {
    const writer = await arrange();
    const rejected = aRejected({ isParked: true });
    const other = aBusiness({ isParked: true });
    const parkings = [
      aParking(rejected, { revision: 1n, position: 6n }),
      aParking(other, { revision: 1n, position: 8n }),
    ];
    const events = [...eventsOf(rejected, { position: 5n, count: 2 }), ...eventsOf(other, { position: 7n, count: 2 })];
    const outcome = await park(writer, stepTo(8n), { entities: [rejected, other], parkings, events });
    expect(outcome?.parkings.map(({ event, waiting }) => [event.stream, event.revision, waiting])).to.deep.equal([
      [streamOf(other), 1n, 1],
      [streamOf(rejected), 0n, 2],
    ]);
  });

  it('adds to what waits behind the event at which an entity is parked, and keeps that', async () => {
    const writer = await arrange();
    const entity = aBusiness({ isParked: true });
    await park(writer, stepTo(5n), { entities: [entity], parkings: [aParking(entity, { revision: 1n, waiting: 2 })] });
    const [first] = await parkedOf(writer);
    const again = aParking(entity, { revision: 3n, position: 9n, reason: 'an earlier event is parked', waiting: 3 });
    const outcome = await park(writer, stepTo(9n, 5n), { parkings: [again] });
    expect(outcome).to.deep.equal({ role: 'live', parkings: [again] });
    expect(await parkedOf(writer)).to.deep.equal([{ ...first, waiting: 5 }]);
  });

  it('parks what a batch of events makes of entities', async () => {
    const writer = await arrange();
    const entity = aBusiness();
    const events = [
      ...eventsOf(entity, { count: 1 }),
      { ...eventsOf(entity, { revision: 5n, position: 7n })[0]! },
      { ...eventsOf({ id: 'no-uuid' }, { position: 8n })[0]! },
    ];
    const folded = foldBatch(writer.projection, () => undefined, groupByStream(events));
    const outcome = await park(writer, stepTo(8n), { ...folded, events });
    expect(outcome?.parkings).to.deep.equal(folded.parkings);
    expect((await parkedOf(writer)).map(({ stream, error }) => [stream, error])).to.deep.equal([
      [streamOf(entity), 'revision 5 follows 0'],
      ['business-no-uuid', NOT_A_UUID],
    ]);
    const rows = await rowsOf(place().one, writer.projection, writer.generation);
    expect(rows.map(({ id, revision, parked }) => [id, revision, parked])).to.deep.equal([[entity.id, '0', 'true']]);
  });

  it('takes any text for a reason and a stream', async () => {
    const writer = await arrange();
    const [reason, stream] = ['NUL \0 "é"', `business-\0${writer.name}`] as const;
    const parked = aParking(aBusiness());
    const parkings = [{ ...parked, reason, event: { ...parked.event, stream } }];
    await park(writer, stepTo(5n), { parkings });
    expect((await parkedOf(writer)).map((one) => [one.error, one.stream])).to.deep.equal([
      ['NUL \ufffd "é"', `business-\ufffd${writer.name}`],
    ]);
  });

  it('gives the parked streams by position, so many', async () => {
    const writer = await arrange();
    const building = await aWriter(place(), writer.projection, { role: 'building' });
    const entities = [9n, 7n, 8n].map((position) => ({ ...aBusiness(), position }));
    await park(writer, stepTo(9n), { parkings: entities.map((one) => aParking(one, one)) });
    await park(building, stepTo(9n), { parkings: [aParking(aBusiness())] });
    const streams = [entities[1], entities[2], entities[0]].map((one) => streamOf(one!));
    for (const limit of [10, 2, 0])
      expect(await place().one.entityRows(writer).parkedStreams(limit)).to.deep.equal(streams.slice(0, limit));
    const none = await aWriter(place(), writer.projection, { role: 'building' });
    expect(await place().one.entityRows(none).parkedStreams(10)).to.deep.equal([]);
  });

  it('counts and lists what is parked in live rows only, by their roles', async () => {
    const writer = await arrange();
    const building = await aWriter(place(), writer.projection, { role: 'building' });
    const [live, other] = [aBusiness(), aBusiness()];
    const { name } = writer.projection;
    expect(await place().one.countParked()).not.to.have.property(name);
    await park(building, stepTo(5n), { entities: [other], parkings: [aParking(other)] });
    expect(await place().one.countParked()).not.to.have.property(name);
    expect(await place().one.findParked(streamOf(other))).to.equal(undefined);
    await park(writer, stepTo(5n), { parkings: [aParking(live), aParking(aBusiness())] });
    expect(await place().one.countParked()).to.have.property(name, 2);
    expect(await parkedOf(writer)).to.have.length(2);
    expect(
      (await place().one.statuses()).filter((one) => one.projection === name).map(({ parked }) => parked),
    ).to.deep.equal([2, 1]);
    await place().one.change(writer.projection, () => ({ makeLive: building.name }));
    expect(await place().one.countParked()).to.have.property(name, 1);
    expect((await place().one.findParked(streamOf(other)))?.stream).to.equal(streamOf(other));
    expect(await place().one.findParked(streamOf(live))).to.equal(undefined);
    await place().one.change(writer.projection, () => ({ makeLive: writer.name, drop: [building.name] }));
    expect(await place().one.findParked(streamOf(other))).to.equal(undefined);
  });

  it('lists those first that are parked longest, then by position, so many', async () => {
    const writer = await arrange();
    const [a, b, c] = [aBusiness(), aBusiness(), aBusiness()];
    await park(writer, stepTo(9n), { parkings: [aParking(a, { position: 9n })] });
    await place().letLeaseExpire(writer.name);
    const later = [aParking(b, { position: 8n }), aParking(c, { position: 7n })];
    await park(writer, stepTo(10n, 9n), { parkings: later });
    expect((await parkedOf(writer)).map(({ stream }) => stream)).to.deep.equal([a, c, b].map(streamOf));
    const all = await place().one.listParked(10_000);
    expect(all.map(({ since }) => since.getTime())).to.deep.equal(
      all.map(({ since }) => since.getTime()).toSorted((one, other) => one - other),
    );
    expect(await place().one.listParked(2)).to.deep.equal(all.slice(0, 2));
  });

  it('passes over a row of a lower revision there, too', async () => {
    const writer = await arrange();
    const entity = aBusiness({ revision: 3n });
    await written(place(), writer, stepTo(5n), entity);
    const lower = { ...entity, revision: 2n, state: activeBusiness({ name: 'Older' }) };
    await park(writer, stepTo(6n, 5n), { entities: [lower], events: eventsOf(entity, { revision: 2n }) });
    expect(await place().one.entityRows(writer).read([entity.id])).to.deep.equal(new Map([[entity.id, entity]]));
  });
};
