import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { rowOf } from '../../../projections/engine/rows/rows.js';
import { aLedger, creation, filled, rowsFor } from './ledger-under-test.js';
import {
  aBusiness,
  ALL,
  aParking,
  aProjection,
  aWriter,
  type PlaceUnderTest,
  rowsOf,
  stepTo,
  streamOf,
  written,
} from './storage-under-test.js';

/** The rows of a generation, as they are stored. */
export const stored = (place: PlaceUnderTest): void => {
  const arrange = async (count: number) => {
    const writer = await aWriter(place(), aProjection());
    const entities = Array.from({ length: count }, () => aBusiness()).toSorted((one, other) =>
      one.id < other.id ? -1 : 1,
    );
    await written(place(), writer, stepTo(5n), ...entities.toReversed());
    const rows = place().other.storedRows(writer.projection, writer.generation);
    return { writer, entities, ids: entities.map(({ id }) => id), rows };
  };

  it('gives rows in the order that is asked for, with what belongs to them', async () => {
    const { writer, entities, rows } = await arrange(3);
    const [one, two, three] = entities;
    const parked = { ...two!, isParked: true };
    const parking = aParking(two!, { revision: 4n });
    await place()
      .one.entityRows(writer)
      .writeWithParking(stepTo(8n, 5n), { entities: [parked], parkings: [parking], events: [] });
    const none = aBusiness();
    const ids = [three, none, two, one].map((entity) => entity!.id);
    const row = (entity: typeof one) => rowOf(writer.projection, entity!);
    expect(await rows.snapshots(ids)).to.deep.equal([
      { row: row(three), checkpoint: 8n, parkedAt: undefined },
      { row: undefined, checkpoint: 8n, parkedAt: undefined },
      { row: row(parked), checkpoint: 8n, parkedAt: 4n },
      { row: row(one), checkpoint: 8n, parkedAt: undefined },
    ]);
    expect(await rows.snapshots([])).to.equal(undefined);
  });

  it('tells of what is parked without a row, and before the first checkpoint', async () => {
    const writer = await aWriter(place(), aProjection());
    const entity = aBusiness();
    const rows = place().one.storedRows(writer.projection, writer.generation);
    const nothing = { row: undefined, checkpoint: undefined, parkedAt: undefined };
    expect(await rows.snapshots([entity.id])).to.deep.equal([nothing]);
    await place()
      .one.entityRows(writer)
      .writeWithParking(stepTo(8n), { entities: [], parkings: [aParking(entity)], events: [] });
    expect(await rows.snapshots([entity.id])).to.deep.equal([{ row: undefined, checkpoint: 8n, parkedAt: 0n }]);
  });

  it('gives rows and checkpoint of one moment', async () => {
    const writer = await aWriter(place(), aProjection());
    const entity = aBusiness({ revision: 0n });
    const rows = place().other.storedRows(writer.projection, writer.generation);
    await written(place(), writer, stepTo(0n), entity);
    const write = async (): Promise<void> => {
      for (let at = 1n; at <= 30n; at += 1n)
        await written(place(), writer, stepTo(at, at - 1n), { ...entity, revision: at });
    };
    const writing = write();
    for (let read = 0; read < 30; read += 1) {
      const [snapshot] = (await rows.snapshots([entity.id])) ?? [];
      expect(snapshot?.row?.['revision']).to.equal(String(snapshot?.checkpoint));
    }
    await writing;
  });

  it('has no snapshots of a generation that was dropped', async () => {
    const { writer, ids, rows } = await arrange(1);
    const next = await aWriter(place(), writer.projection, { role: 'building' });
    await place().one.change(writer.projection, () => ({ makeLive: next.name, drop: [writer.name] }));
    expect(await rows.snapshots(ids)).to.equal(undefined);
  });

  it('gives the rows of a range, in the order of their ids', async () => {
    const { writer, entities, ids, rows } = await arrange(6);
    const texts = entities.map((entity) => rowOf(writer.projection, entity));
    expect(await rows.texts(ALL)).to.deep.equal(texts);
    expect(await rows.texts({ ...ALL, limit: 2 })).to.deep.equal(texts.slice(0, 2));
    expect(await rows.texts({ ...ALL, from: ids[2] })).to.deep.equal(texts.slice(2));
    expect(await rows.texts({ ...ALL, after: ids[2] })).to.deep.equal(texts.slice(3));
    expect(await rows.texts({ ...ALL, before: ids[2] })).to.deep.equal(texts.slice(0, 2));
    const range = { from: ids[1], after: ids[2], before: ids[5], limit: 10 };
    expect(await rows.texts(range)).to.deep.equal(texts.slice(3, 5));
    expect(await rows.texts({ ...range, limit: 1 })).to.deep.equal(texts.slice(3, 4));
    expect(await rows.texts({ ...range, from: ids[5] })).to.deep.equal([]);
  });

  it('gives ids in order, behind one', async () => {
    const { ids, rows } = await arrange(4);
    expect(await rows.idsAfter(undefined, 10)).to.deep.equal(ids);
    expect(await rows.idsAfter(undefined, 2)).to.deep.equal(ids.slice(0, 2));
    expect(await rows.idsAfter(ids[1], 10)).to.deep.equal(ids.slice(2));
    expect(await rows.idsAfter(ids[3], 10)).to.deep.equal([]);
    expect(await rows.idsAfter('ffffffff-ffff-ffff-ffff-ffffffffffff', 10)).to.deep.equal([]);
  });

  it('draws so many rows, each once', async () => {
    const { ids, rows } = await arrange(5);
    for (const size of [0, 1, 3, 5, 9]) {
      const drawn = await rows.sample(size);
      expect(drawn).to.have.length(Math.min(size, 5));
      expect(new Set(drawn).size).to.equal(drawn.length);
      expect(ids).to.include.members([...drawn]);
    }
  });

  it('finds a row somewhere among them, where there is one', async () => {
    const { ids, rows } = await arrange(5);
    expect(await rows.idBehind(0)).to.be.oneOf(ids);
    const { rows: none } = await arrange(0);
    for (const share of [0, 0.5, 0.99]) {
      expect(await rows.idBehind(share)).to.be.oneOf([...ids, undefined]);
      expect(await none.idBehind(share)).to.equal(undefined);
    }
  });

  it('finds entities that the live rows of a ledger have, and that have no row', async () => {
    const { ids, entities, rows } = await arrange(2);
    const ledger = aLedger();
    const live = await aWriter(place(), ledger);
    // in any order
    const look = async (after: bigint, limit: number) => {
      const { ids: missing, last } = await rows.missing(ledger.name, after, limit);
      return { ids: missing.toSorted(), last };
    };
    expect(await look(-1n, 10)).to.deep.equal({ ids: [], last: undefined });
    const [first, second] = [randomUUID(), randomUUID()];
    const later = { ...creation(streamOf({ id: randomUUID() })), revision: 1n };
    const events = [
      creation(`business-${first}`),
      creation(streamOf(entities[0]!)),
      creation(`document-${randomUUID()}`),
      later,
      creation('business-no-uuid'),
      creation(`business-${randomUUID().toUpperCase()}`),
      creation(`business-${second}`),
      creation(streamOf(entities[1]!)),
    ];
    await filled(place(), live, stepTo(5n), rowsFor(ledger, events));
    expect(await look(-1n, 100)).to.deep.equal({ ids: [first, second].toSorted(), last: 7n });
    expect(await look(-1n, 3)).to.deep.equal({ ids: [first], last: 2n });
    expect(await look(2n, 3)).to.deep.equal({ ids: [], last: 5n });
    expect(await look(5n, 3)).to.deep.equal({ ids: [second], last: 7n });
    expect(await look(7n, 3)).to.deep.equal({ ids: [], last: undefined });
    const building = await aWriter(place(), ledger, { role: 'building' });
    await filled(place(), building, stepTo(5n), rowsFor(ledger, events.slice(0, 1)));
    await place().one.change(ledger, () => ({ makeLive: building.name }));
    expect(await look(-1n, 100)).to.deep.equal({ ids: [first], last: 0n });
    expect(await rows.idsAfter(undefined, 10)).to.deep.equal(ids);
  });

  it('completes rows for reads, also again, and leaves them as they are', async () => {
    const writer = await aWriter(place(), aProjection(), { role: 'building', isRebuild: true });
    await written(place(), writer, stepTo(5n), aBusiness(), aBusiness());
    const before = await rowsOf(place().one, writer.projection, writer.generation);
    await place().one.complete(writer.projection, writer.generation);
    await place().other.complete(writer.projection, writer.generation);
    expect(await rowsOf(place().one, writer.projection, writer.generation)).to.deep.equal(before);
    const ledger = await aWriter(place(), aLedger(), { role: 'building', isRebuild: true });
    await filled(place(), ledger, stepTo(5n), rowsFor(ledger.projection, [creation()]));
    for (const storage of [place().one, place().other]) await storage.complete(ledger.projection, ledger.generation);
    expect(await place().one.ledgerRows(ledger).leaves(0n, 10)).to.have.length(1);
    // and rows are written as before
    await written(place(), writer, stepTo(6n, 5n), aBusiness());
    expect(await rowsOf(place().one, writer.projection, writer.generation)).to.have.length(3);
  });
};
