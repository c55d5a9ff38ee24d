import { expect } from 'chai';
import { arrayLiteral } from '../../../projections/projection.js';
import { rowOf } from '../../../projections/engine/rows/rows.js';
import type { EntityWriter, ReadModelStorage, RowStorage } from '../../../projections/engine/storage.js';
import { unsetFields } from '../../../src/domain/business/state.js';
import {
  aBusiness,
  acquired,
  activeBusiness,
  aProjection,
  aRejected,
  aWriter,
  eventsOf,
  type PlaceUnderTest,
  rowsOf,
  stepTo,
  whatIsThere,
} from './storage-under-test.js';

/** How rows come to be written: by the storage itself, or while it writes many batches. */
export type Through = <A>(storage: ReadModelStorage, work: (rows: RowStorage) => Promise<A>) => Promise<A>;

const byId = (one: { readonly id: string }, other: { readonly id: string }): number => (one.id < other.id ? -1 : 1);

const AWKWARD = [
  '',
  'null',
  'NULL',
  '{}',
  'a,b',
  '"quoted"',
  "it's",
  'back\\slash',
  ' spaced ',
  'line\nbreak\ttab',
  '👩‍👩‍👧 e\u0301 ﷽ \u2028 \u007f \u0001',
  'Grüße Straße ΣΊΣΥΦΟΣ',
];

export const entityRows = (place: PlaceUnderTest, through: Through): void => {
  const arrange = async (over: Parameters<typeof aWriter>[2] = {}) => {
    const projection = aProjection();
    return aWriter(place(), projection, over);
  };
  const write = (writer: EntityWriter, step = stepTo(5n), ...entities: ReadonlyArray<ReturnType<typeof aBusiness>>) =>
    through(place().one, (rows) => rows.entityRows(writer).prepare(entities)(step));

  it('writes rows with the checkpoint and the last event', async () => {
    const writer = await arrange();
    const [one, two] = [aBusiness(), aBusiness({ creationPosition: 6n })];
    const [event] = eventsOf(two);
    const to = { commit: 6n, prepare: 4n };
    expect(await write(writer, { from: 'start', to, last: event }, one, two)).to.equal('live');
    const { stream, revision, id } = event!;
    expect(await place().other.generations(writer.projection.name)).to.deep.equal([
      { ...writer.generation, checkpoint: to, last: { stream, revision, id } },
    ]);
    expect(await rowsOf(place().other, writer.projection, writer.generation)).to.deep.equal(
      [one, two].toSorted(byId).map((entity) => rowOf(writer.projection, entity)),
    );
  });

  it('keeps the last event where a step has none', async () => {
    const writer = await arrange();
    const last = { stream: 'business-b1', revision: 3n, id: 'e1' } as const;
    await through(place().one, async (rows) => {
      expect(await rows.entityRows(writer).step(stepTo(5n, 'start', { last }))).to.equal('live');
      expect(await rows.entityRows(writer).step(stepTo(9n, 5n))).to.equal('live');
      expect(await rows.entityRows(writer).prepare([])(stepTo(10n, 9n))).to.equal('live');
    });
    expect((await place().one.generations(writer.projection.name))[0]).to.deep.equal({
      ...writer.generation,
      checkpoint: { commit: 10n, prepare: 10n },
      last,
    });
  });

  it('writes what was prepared before the batch before it was written', async () => {
    const writer = await arrange();
    const entity = aBusiness();
    const later = { ...entity, revision: 1n, state: activeBusiness({ name: 'Acme 2' }) };
    await through(place().one, async (rows) => {
      const own = rows.entityRows(writer);
      const writes = [own.prepare([entity]), own.prepare([later])];
      expect(await writes[0]?.(stepTo(5n))).to.equal('live');
      expect(await writes[1]?.(stepTo(6n, 5n))).to.equal('live');
    });
    expect(await rowsOf(place().one, writer.projection, writer.generation)).to.deep.equal([
      rowOf(writer.projection, later),
    ]);
  });

  it('shows a row as its projection makes it', async () => {
    const writer = await arrange();
    const entity = aBusiness({ name: 'Acme', ein: '12-3', owners: ['alice', 'bob'], revision: 4n });
    await write(writer, stepTo(5n), entity);
    const [row] = await rowsOf(place().one, writer.projection, writer.generation);
    const { body, ...others } = row ?? {};
    expect(others).to.deep.equal({
      id: entity.id,
      place: '5',
      revision: '4',
      parked: 'false',
      kept: '{"since":[1,2]}',
      created_at: '2026-01-02T03:04:05.678Z',
      updated_at: '2026-01-02T03:04:05.678Z',
      words: "'12' '3' 'acme'",
      name: 'Acme',
      business_type: null,
      parent: null,
      ein: '12-3',
      owners: '{"alice","bob"}',
    });
    expect(JSON.parse(body ?? '')).to.deep.include({ _id: entity.id, name: 'Acme', ein: '12-3' });
  });

  it('keeps every text as it is, and tells null, empty and empty lists apart', async () => {
    const writer = await arrange();
    const entities = [
      ...AWKWARD.map((text) => aBusiness({ name: text, ein: text, owners: [text, text] })),
      aBusiness({ owners: [...AWKWARD] }),
      aBusiness({ ein: null, owners: [] }),
      aBusiness({ state: { _tag: 'NotCreated' }, createdAt: null, updatedAt: null, revision: -1n, isParked: true }),
      aBusiness({ state: { _tag: 'Deleted', fields: { name: '', ...unsetFields }, owners: [], since: [] } }),
      aBusiness({ revision: 2n ** 62n, creationPosition: 2n ** 62n }),
    ].toSorted(byId);
    expect(await write(writer, stepTo(5n), ...entities)).to.equal('live');
    const expected = entities.map((entity) => rowOf(writer.projection, entity));
    expect(await rowsOf(place().one, writer.projection, writer.generation)).to.deep.equal(expected);
    const snapshots = await place()
      .other.storedRows(writer.projection, writer.generation)
      .snapshots(entities.map(({ id }) => id));
    expect(snapshots?.map(({ row }) => row)).to.deep.equal(expected);
    const owners = expected.map((row) => row['owners']);
    expect(owners).to.include.members(['{}', null, arrayLiteral(AWKWARD)]);
  });

  it('reads entities as they were written', async () => {
    const writer = await arrange();
    const entities = [
      ...AWKWARD.map((text) => aBusiness({ name: text, ein: text, owners: [text] })),
      aBusiness({ summary: undefined, revision: 7n, creationPosition: 3n }),
      aBusiness({ summary: { lastHash: 'b'.repeat(64), lastAt: '2026-05-05T05:05:05.555Z', hasKeyedCommands: true } }),
      aBusiness({ state: { _tag: 'NotCreated' }, createdAt: null, updatedAt: null, revision: -1n, isParked: true }),
      aBusiness({ state: { _tag: 'Deleted', fields: { name: '', ...unsetFields }, owners: [], since: [] } }),
    ];
    const ids = entities.map(({ id }) => id);
    await through(place().one, async (rows) => {
      const own = rows.entityRows(writer);
      expect(await own.read(ids)).to.deep.equal(new Map());
      expect(await own.prepare(entities)(stepTo(5n))).to.equal('live');
      const read = await own.read([...ids.slice(1), aBusiness().id]);
      expect(read).to.deep.equal(new Map(entities.slice(1).map((entity) => [entity.id, entity])));
      expect(await own.read([])).to.deep.equal(new Map());
    });
  });

  it('trusts no row that was signed with another key, or by another version', async () => {
    const writer = await arrange();
    const entity = aBusiness();
    await write(writer, stepTo(5n), entity);
    const { snapshots: _snapshots, ...unsigned } = writer.projection;
    const other = aProjection({ name: writer.projection.name, revision: 99 });
    for (const projection of [unsigned, other])
      expect(
        await place()
          .one.entityRows({ ...writer, projection })
          .read([entity.id]),
      ).to.deep.equal(new Map([[entity.id, { ...entity, summary: undefined }]]));
  });

  it('reads what another process has written', async () => {
    const writer = await arrange();
    const entity = aBusiness();
    await write(writer, stepTo(5n), entity);
    const lease = await acquired(place().other, writer.name, 'two');
    const read = await place()
      .other.entityRows({ ...writer, lease })
      .read([entity.id]);
    expect(read.get(entity.id)).to.deep.equal(entity);
  });

  it('passes over a row of a lower revision than the one that is there', async () => {
    const writer = await arrange();
    const entity = aBusiness({ revision: 3n, name: 'Acme' });
    await write(writer, stepTo(5n), entity);
    const [lower, same] = [
      { ...entity, revision: 2n, state: activeBusiness({ name: 'Older' }) },
      { ...entity, state: activeBusiness({ name: 'Again' }), isParked: true },
    ];
    const other = aBusiness();
    expect(await write(writer, stepTo(6n, 5n), lower, other)).to.equal('live');
    const own = place().one.entityRows(writer);
    expect(await own.read([entity.id, other.id])).to.deep.equal(
      new Map([
        [entity.id, entity],
        [other.id, other],
      ]),
    );
    expect(await write(writer, stepTo(7n, 6n), same)).to.equal('live');
    expect(await own.read([entity.id])).to.deep.equal(new Map([[entity.id, same]]));
  });

  it('writes no row of a batch of which one cannot be stored', async () => {
    const writer = await arrange();
    await write(writer, stepTo(5n), aBusiness());
    const before = await whatIsThere(place().one, writer.projection);
    await through(place().one, async (rows) => {
      const own = rows.entityRows(writer);
      const prepared = own.prepare([aBusiness(), aRejected(), aBusiness()]);
      expect(await prepared(stepTo(7n, 5n))).to.equal('Rejected');
      expect(await whatIsThere(place().other, writer.projection)).to.deep.equal(before);
      for (const owners of [['NUL \0'], ['fine', '\0']])
        expect(await own.prepare([aBusiness({ owners })])(stepTo(7n, 5n))).to.equal('Rejected');
      // and goes on
      expect(await own.prepare([aBusiness()])(stepTo(7n, 5n))).to.equal('live');
    });
    expect((await whatIsThere(place().one, writer.projection)).generations[0]?.rows).to.have.length(2);
  });

  it('writes each generation by itself', async () => {
    const writer = await arrange();
    const building = await aWriter(place(), writer.projection, { role: 'building' });
    const entity = aBusiness();
    await through(place().one, async (rows) => {
      expect(await rows.entityRows(writer).prepare([entity])(stepTo(5n))).to.equal('live');
      expect(await rows.entityRows(building).prepare([aBusiness(), aBusiness()])(stepTo(9n))).to.equal('building');
    });
    const there = (await whatIsThere(place().other, writer.projection)).generations;
    expect(there.map(({ rows, checkpoint }) => [rows.length, checkpoint])).to.deep.equal([
      [1, { commit: 5n, prepare: 5n }],
      [2, { commit: 9n, prepare: 9n }],
    ]);
  });
};
