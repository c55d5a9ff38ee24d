import { expect } from 'chai';
import type { Generation, GenerationState } from '../../../projections/engine/generation/generation.js';
import { versionOf } from '../../../projections/version.js';
import {
  aBusiness,
  acquired,
  aGeneration,
  aParking,
  aProjection,
  aWriter,
  otherVersionOf,
  type PlaceUnderTest,
  rowsOf,
  stepTo,
} from './storage-under-test.js';

const namesOf = (generations: ReadonlyArray<Pick<Generation, 'name'>>): ReadonlyArray<string> =>
  generations.map(({ name }) => name);

export const generations = (place: PlaceUnderTest): void => {
  it('has none of a read model at first', async () => {
    expect(await place().one.generations(aProjection().name)).to.deep.equal([]);
  });

  it('makes one of this version, which has nothing yet', async () => {
    const projection = aProjection();
    const create = { role: 'building', logIdentity: 'a-log', isRebuild: true, skips: 3 } as const;
    const changed = await place().one.change(projection, () => ({ create }));
    const created = changed?.created;
    expect(changed).to.deep.equal({ created, leases: [] });
    expect(created).to.deep.equal({
      name: created?.name,
      version: versionOf(projection),
      role: 'building',
      logIdentity: 'a-log',
      checkpoint: 'start',
      last: undefined,
    });
    expect(created?.name).to.match(new RegExp(`^${projection.name}_${versionOf(projection)}_\\d+$`));
    expect(await place().other.generations(projection.name)).to.deep.equal([created]);
    expect(await rowsOf(place().other, projection, created!)).to.deep.equal([]);
  });

  it('gives each another name, and each read model its own', async () => {
    const [projection, another] = [aProjection(), aProjection()];
    const made = [
      await aGeneration(place(), projection, 'live'),
      await aGeneration(place(), projection, 'building'),
      await aGeneration(place(), another, 'live'),
      await aGeneration(place(), otherVersionOf(projection), 'building'),
    ];
    expect(new Set(namesOf(made)).size).to.equal(4);
    expect(new Set(namesOf(await place().one.generations(projection.name)))).to.deep.equal(
      new Set(namesOf([made[0]!, made[1]!, made[3]!])),
    );
    expect(await place().one.generations(another.name)).to.deep.equal([made[2]]);
    expect(made[3]?.version)
      .to.equal(versionOf(otherVersionOf(projection)))
      .and.not.to.equal(made[0]?.version);
  });

  it('shows the live one, those that are built and those that were live, each time the newest role first', async () => {
    const projection = aProjection();
    const live = await aGeneration(place(), projection, 'live');
    const [first, second, third] = [
      await aGeneration(place(), projection, 'building'),
      await aGeneration(place(), projection, 'building'),
      await aGeneration(place(), projection, 'building'),
    ];
    const order = async () => (await place().other.generations(projection.name)).map(({ name, role }) => [role, name]);
    expect(await order()).to.deep.equal([
      ['live', live.name],
      ['building', third.name],
      ['building', second.name],
      ['building', first.name],
    ]);
    for (const { name } of [third, second, live]) await place().one.change(projection, () => ({ makeLive: name }));
    expect(await order()).to.deep.equal([
      ['live', live.name],
      ['building', first.name],
      ['previous', second.name],
      ['previous', third.name],
    ]);
  });

  it('has a change see all of them, in that order', async () => {
    const projection = aProjection();
    const live = await aWriter(place(), projection);
    const event = { stream: 'business-b1', revision: 0n, id: 'e1' } as const;
    await place()
      .one.entityRows(live)
      .step(stepTo(7n, 'start', { last: event }));
    const building = await aGeneration(place(), projection, 'building', { isRebuild: true, skips: 2 });
    await place().one.change(projection, () => ({ markEvidence: [building.name] }));
    let seen: ReadonlyArray<GenerationState> = [];
    expect(await place().other.change(projection, (all) => void (seen = all))).to.equal(undefined);
    for (const { msInRole } of seen) expect(msInRole).to.be.within(0, 600_000);
    const common = { version: versionOf(projection), logIdentity: 'a-log' };
    expect(seen.map(({ msInRole: _ms, ...state }) => state)).to.deep.equal([
      {
        ...{ ...common, name: live.name, role: 'live', checkpoint: { commit: 7n, prepare: 7n }, last: event },
        ...{ holder: 'one', isRebuild: false, skips: 0, isEvidence: false },
      },
      {
        ...{ ...common, name: building.name, role: 'building', checkpoint: 'start', last: undefined },
        ...{ holder: undefined, isRebuild: true, skips: 2, isEvidence: true },
      },
    ]);
  });

  it('has a change see who may write now', async () => {
    const projection = aProjection();
    const { lease, name } = await aWriter(place(), projection);
    const holder = async (): Promise<string | undefined> => {
      let seen: string | undefined;
      await place().one.change(projection, ([live]) => void (seen = live?.holder));
      return seen;
    };
    await acquired(place().other, name, 'two');
    expect(await holder()).to.equal('two');
    await place().letLeaseExpire(name);
    expect(await holder()).to.equal(undefined);
    await acquired(place().one, name, 'one');
    await place().one.release({ ...lease, holder: 'one' });
    expect(await holder()).to.equal(undefined);
  });

  it('tells how long a generation has had its role', async function () {
    const projection = aProjection();
    const [first, second] = [
      await aWriter(place(), projection),
      await aWriter(place(), projection, { role: 'building' }),
    ];
    const times = async (): Promise<ReadonlyArray<number>> => {
      let seen: ReadonlyArray<number> = [];
      await place().one.change(projection, (all) => void (seen = all.map(({ msInRole }) => msInRole)));
      return seen;
    };
    const [before = NaN] = await times();
    await place().letLeaseExpire(first.name);
    const [after = NaN] = await times();
    expect(after).to.be.at.least(before);
    await place().one.change(projection, () => ({ makeLive: second.name }));
    expect((await place().one.statuses()).find(({ name }) => name === first.name)?.role).to.equal('previous');
    const [live = NaN, previous = NaN] = await times();
    expect(live).to.be.at.least(0);
    expect(previous).to.be.at.least(0);
  });

  it('shows the generations of all read models by name, with who writes them', async () => {
    const [projection, another] = [aProjection(), aProjection()];
    const first = await aWriter(place(), projection);
    const second = await aGeneration(place(), projection, 'building');
    await aGeneration(place(), another, 'live');
    const statuses = await place().one.statuses();
    const names = statuses.map((status) => status.projection);
    expect(names).to.deep.equal(names.toSorted());
    const own = statuses.filter((status) => status.projection === projection.name);
    expect(own.map(({ roleSince: _since, leader: _leader, ...status }) => status)).to.deep.equal(
      [first.generation, second].map((one) => ({
        ...one,
        projection: projection.name,
        parked: 0,
        lastError: undefined,
      })),
    );
    expect(own[0]?.roleSince).to.be.an.instanceOf(Date);
    expect(own.map(({ leader }) => leader?.holder)).to.deep.equal(['one', undefined]);
    expect(own[0]?.leader?.seconds).to.be.greaterThan(0);
    await place().letLeaseExpire(first.name);
    const later = (await place().one.statuses()).find(({ name }) => name === first.name);
    expect(later?.leader).to.equal(undefined);
  });

  it('shows how many entities are parked, and why the last of them is', async () => {
    const { projection, ...writer } = await aWriter(place(), aProjection());
    const rows = place().one.entityRows({ projection, ...writer });
    const park = (from: bigint | 'start', to: bigint, reason: string) =>
      rows.writeWithParking(stepTo(to, from), {
        entities: [],
        parkings: [aParking(aBusiness(), { reason })],
        events: [],
      });
    await park('start', 5n, 'first');
    await place().letLeaseExpire(writer.name);
    await park(5n, 6n, 'second');
    const status = (await place().one.statuses()).find((one) => one.projection === projection.name);
    expect([status?.parked, status?.lastError]).to.deep.equal([2, 'second']);
  });
};
