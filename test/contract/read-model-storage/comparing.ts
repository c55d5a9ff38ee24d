import { expect } from 'chai';
import type { BatchOfChange, EntityWriter } from '../../../projections/engine/storage.js';
import { compare, SAME } from './compared.js';
import {
  aBusiness,
  acquired,
  activeBusiness,
  aParking,
  aProjection,
  aRejected,
  aWriter,
  eventsOf,
  type PlaceUnderTest,
  stepTo,
  whatIsThere,
  written,
} from './storage-under-test.js';

export const comparing = (place: PlaceUnderTest): void => {
  const arrange = async () => {
    const projection = aProjection();
    const live = await aWriter(place(), projection, { holder: 'two' });
    const rebuilt = await aWriter(place(), projection, { role: 'building', isRebuild: true });
    return { projection, live, rebuilt };
  };
  const inOrder = (...entities: ReadonlyArray<ReturnType<typeof aBusiness>>) =>
    entities.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const changing = (writer: EntityWriter, ...entities: ReadonlyArray<ReturnType<typeof aBusiness>>): BatchOfChange => ({
    rowFor: 'entity',
    writer,
    step: stepTo(9n, 5n),
    batch: { entities, parkings: [], events: entities.flatMap((entity) => eventsOf(entity)) },
  });

  it('has nothing to compare with before there are live rows', async () => {
    const rebuilt = await aWriter(place(), aProjection(), { role: 'building' });
    await written(place(), rebuilt, stepTo(5n), aBusiness());
    const { compared, seen } = await compare(place().one, rebuilt);
    expect([compared, seen]).to.deep.equal(['NoLiveRows', []]);
  });

  it('compares nothing for a writer that has lost its lease, whatever is live', async () => {
    const projection = aProjection();
    const writer = await aWriter(place(), projection, { role: 'building' });
    const lease = await acquired(place().other, writer.name, 'two');
    expect(await compare(place().one, writer)).to.deep.equal({ compared: undefined, called: [], seen: [] });
    expect((await compare(place().other, { ...writer, lease })).compared).to.equal('NoLiveRows');
    await aWriter(place(), projection);
    expect(await compare(place().one, writer)).to.deep.equal({ compared: undefined, called: [], seen: [] });
  });

  it('finds equal rows equal, however they were written', async () => {
    const { live, rebuilt } = await arrange();
    const entities = [aBusiness({ ein: '1', owners: ['"a"', ''] }), aBusiness({ owners: [] })];
    for (const writer of [live, rebuilt]) await written(place(), writer, stepTo(5n), ...entities.toReversed());
    // a signature is no part of what the log determines
    const unsigned = entities.map((entity) => ({ ...entity, summary: undefined }));
    await written(place(), rebuilt, stepTo(6n, 5n), ...unsigned);
    const { compared, called, seen } = await compare(place().one, rebuilt);
    expect([compared, called]).to.deep.equal([{ rows: { live: 2, rebuilt: 2 }, ...SAME }, []]);
    expect(seen.map(({ name, checkpoint }) => [name, checkpoint])).to.deep.equal([
      [live.name, { commit: 5n, prepare: 5n }],
    ]);
  });

  it('compares no rows at all', async () => {
    const { rebuilt } = await arrange();
    expect((await compare(place().one, rebuilt)).compared).to.deep.equal({ rows: { live: 0, rebuilt: 0 }, ...SAME });
  });

  it('finds rows that only one has, and the columns and fields in which rows differ', async () => {
    const { live, rebuilt } = await arrange();
    const [a, b, c, d] = inOrder(aBusiness(), aBusiness(), aBusiness(), aBusiness());
    const changed = { ...c!, revision: 1n, state: activeBusiness({ name: 'Acme 2', owners: ['bob'] }) };
    await written(place(), live, stepTo(5n), a!, c!, d!);
    await written(place(), rebuilt, stepTo(5n), b!, changed, d!);
    const { compared, called } = await compare(place().one, rebuilt);
    expect(compared).to.deep.equal({
      rows: { live: 3, rebuilt: 3 },
      ...{ onlyLive: 1, onlyRebuilt: 1, differing: 1, first: called },
    });
    expect(called.map(({ _tag, id }) => [_tag, id])).to.deep.equal([
      ['OnlyLive', a?.id],
      ['OnlyRebuilt', b?.id],
      ['Differs', c?.id],
    ]);
    const differing = called[2];
    if (differing?._tag !== 'Differs') throw new Error('nothing differs');
    expect(differing.fields).to.have.members([
      'revision',
      'body.name',
      'body.owners',
      'body.revision',
      'kept',
      'words',
      'name',
      'owners',
    ]);
    const columns = { place: '5', parked: 'false', business_type: null, parent: null, ein: null };
    const { body: liveBody, ...liveRow } = differing.live;
    const times = { created_at: c?.createdAt, updated_at: c?.updatedAt };
    expect(liveRow).to.deep.equal({
      ...columns,
      ...times,
      kept: null,
      revision: '0',
      words: "'acme'",
      name: 'Acme',
      owners: '{}',
    });
    const { body: rebuiltBody, ...rebuiltRow } = differing.rebuilt;
    const own = { revision: '1', words: "'2' 'acme'", name: 'Acme 2', owners: '{bob}' };
    expect(rebuiltRow).to.deep.equal({ ...columns, ...times, kept: '{"since":[1]}', ...own });
    expect([liveBody, rebuiltBody].map((body) => (JSON.parse(body ?? '') as { name: string }).name)).to.deep.equal([
      'Acme',
      'Acme 2',
    ]);
  });

  it('shows lists of texts as the database writes them', async () => {
    const { live, rebuilt } = await arrange();
    const entity = aBusiness();
    const owners = ['plain', '', 'NULL', 'a,b', '"quoted"', 'back\\slash', ' spaced', '{', 'é'];
    await written(place(), live, stepTo(5n), { ...entity, state: activeBusiness({ owners }) });
    await written(place(), rebuilt, stepTo(5n), { ...entity, state: { _tag: 'NotCreated' } });
    const [difference] = (await compare(place().one, rebuilt)).called;
    if (difference?._tag !== 'Differs') throw new Error('nothing differs');
    expect(difference.live['owners']).to.equal(
      String.raw`{plain,"","NULL","a,b","\"quoted\"","back\\slash"," spaced","{",é}`,
    );
    expect(difference.rebuilt).to.include({ owners: null, body: null, words: null, name: null });
  });

  it('tells of every difference, one after the other, and keeps the first', async () => {
    const { live, rebuilt } = await arrange();
    const entities = inOrder(...Array.from({ length: 450 }, () => aBusiness()));
    await written(place(), live, stepTo(5n), ...entities);
    await written(place(), rebuilt, stepTo(5n), aBusiness({ id: entities[7]!.id }));
    const { compared, called } = await compare(place().one, rebuilt, { keep: 3 });
    const ids = entities.map(({ id }) => id).toSpliced(7, 1);
    expect(called.map(({ id }) => id)).to.deep.equal(ids);
    expect(compared).to.deep.equal({
      rows: { live: 450, rebuilt: 1 },
      ...{ onlyLive: 449, onlyRebuilt: 0, differing: 0, first: called.slice(0, 3) },
    });
    expect((await compare(place().one, rebuilt, { keep: 0 })).compared).to.have.deep.property('first', []);
  });

  it('writes a batch first, so that both are at the same position', async () => {
    const { projection, live, rebuilt } = await arrange();
    const [first, second] = [aBusiness(), aBusiness()];
    await written(place(), live, stepTo(9n), first, second);
    await written(place(), rebuilt, stepTo(5n), first);
    const { compared } = await compare(place().one, rebuilt, { write: changing(rebuilt, second) });
    expect(compared).to.deep.equal({ rows: { live: 2, rebuilt: 2 }, ...SAME });
    const there = (await whatIsThere(place().other, projection)).generations[1];
    expect([there?.checkpoint, there?.rows.length]).to.deep.equal([{ commit: 9n, prepare: 9n }, 2]);
  });

  it('parks in that batch what cannot be stored', async () => {
    const { live, rebuilt } = await arrange();
    const rejected = aRejected();
    await written(place(), live, stepTo(9n), aBusiness({ id: rejected.id }));
    await place().one.entityRows(rebuilt).step(stepTo(5n));
    const { compared } = await compare(place().one, rebuilt, { write: changing(rebuilt, rejected) });
    expect(compared).to.include({ onlyLive: 0, onlyRebuilt: 0, differing: 1 });
    expect(await place().one.entityRows(rebuilt).parkedStreams(2)).to.have.length(1);
  });

  it('writes nothing when nothing is decided', async () => {
    const { projection, rebuilt } = await arrange();
    await written(place(), rebuilt, stepTo(5n), aBusiness());
    const before = await whatIsThere(place().one, projection);
    const differences = { keep: 1, onDifference: () => Promise.reject(new Error('a difference')) };
    expect(await place().one.compare(rebuilt, () => undefined, differences)).to.equal(undefined);
    expect(await whatIsThere(place().one, projection)).to.deep.equal(before);
  });

  it('compares rows as they are then, while others write', async () => {
    const { live, rebuilt } = await arrange();
    const entities = inOrder(...Array.from({ length: 450 }, () => aBusiness()));
    await written(place(), live, stepTo(5n), ...entities);
    let differences = 0;
    const compared = await place().one.compare(rebuilt, () => ({ write: undefined }), {
      keep: 0,
      onDifference: async () => {
        differences += 1;
        if (differences !== 1) return;
        await written(place(), live, stepTo(6n, 5n), aBusiness());
        await written({ one: place().other }, rebuilt, stepTo(5n), ...entities);
      },
    });
    expect([differences, compared]).to.deep.equal([450, { rows: { live: 450, rebuilt: 0 }, ...SAME, onlyLive: 450 }]);
    expect((await compare(place().one, rebuilt)).compared).to.include({ onlyLive: 1, differing: 0 });
  });

  it('fails with what is thrown at a difference, and goes on', async () => {
    const { live, rebuilt } = await arrange();
    await written(place(), live, stepTo(5n), aBusiness());
    const fault = new Error('the disk is full');
    const thrown = await place()
      .one.compare(rebuilt, () => ({ write: undefined }), { keep: 0, onDifference: () => Promise.reject(fault) })
      .catch((error: unknown) => error);
    expect(thrown).to.equal(fault);
    expect((await compare(place().one, rebuilt)).compared).to.include({ onlyLive: 1 });
  });

  it('compares parked entities by their rows', async () => {
    const { live, rebuilt } = await arrange();
    const entity = aBusiness();
    await written(place(), live, stepTo(5n), entity);
    await place()
      .one.entityRows(rebuilt)
      .writeWithParking(stepTo(5n), {
        entities: [{ ...entity, isParked: true }],
        parkings: [aParking(entity, { revision: 1n })],
        events: [],
      });
    const [difference] = (await compare(place().one, rebuilt)).called;
    expect(difference).to.deep.include({ _tag: 'Differs', fields: ['parked'] });
  });
};
