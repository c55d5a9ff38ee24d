import { expect } from 'chai';
import type { Generation, GenerationState } from '../../../projections/engine/generation/generation.js';
import type { Change } from '../../../projections/engine/storage.js';
import {
  aBusiness,
  aGeneration,
  aProjection,
  aWriter,
  type PlaceUnderTest,
  stepTo,
  whatIsThere,
  written,
} from './storage-under-test.js';

const namesOf = (generations: ReadonlyArray<Pick<Generation, 'name'>>): ReadonlyArray<string> =>
  generations.map(({ name }) => name);

export const changing = (place: PlaceUnderTest): void => {
  it('changes nothing when nothing is decided', async () => {
    const projection = aProjection();
    await written(place(), await aWriter(place(), projection), stepTo(5n), aBusiness());
    const before = await whatIsThere(place().one, projection);
    expect(await place().one.change(projection, () => undefined)).to.equal(undefined);
    expect(await place().one.change(projection, () => ({}))).to.deep.equal({ created: undefined, leases: [] });
    expect(await whatIsThere(place().one, projection)).to.deep.equal(before);
  });

  it('changes nothing when what decides throws, and goes on', async () => {
    const projection = aProjection();
    await aWriter(place(), projection);
    const before = await whatIsThere(place().one, projection);
    const fault = new Error('a fault');
    const thrown = await place()
      .one.change(projection, () => {
        throw fault;
      })
      .catch((error: unknown) => error);
    expect(thrown).to.equal(fault);
    expect(await whatIsThere(place().one, projection)).to.deep.equal(before);
    await aGeneration(place(), projection, 'building');
    expect(await place().one.generations(projection.name)).to.have.length(2);
  });

  it('changes what one of many processes has decided, before the next decides', async () => {
    const projection = aProjection();
    const seen: Array<number> = [];
    const createFirst = (all: ReadonlyArray<GenerationState>): Change | undefined => {
      seen.push(all.length);
      return all.length > 0
        ? undefined
        : { create: { role: 'live', logIdentity: 'a-log', isRebuild: false, skips: 0 } };
    };
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 === 0 ? place().one : place().other).change(projection, createFirst),
      ),
    );
    expect(outcomes.filter((changed) => changed !== undefined)).to.have.length(1);
    expect(seen).to.deep.equal([0, 1, 1, 1, 1, 1, 1, 1]);
  });

  it('has no checkpoint moved between what a change sees and what it changes', async () => {
    for (let round = 0; round < 5; round += 1) {
      const projection = aProjection();
      const live = await aWriter(place(), projection);
      const building = await aGeneration(place(), projection, 'building');
      let seen: Generation['checkpoint'] | undefined;
      const [role] = await Promise.all([
        place()
          .one.entityRows(live)
          .step(stepTo(7n, 'start', { mustBeLive: true })),
        place().other.change(projection, (all) => {
          seen = all[0]?.checkpoint;
          return { makeLive: building.name };
        }),
      ]);
      expect([role, seen]).to.be.deep.oneOf([
        ['live', { commit: 7n, prepare: 7n }],
        [undefined, 'start'],
      ]);
    }
  });

  it('makes one live, and the one that was live previous', async () => {
    const projection = aProjection();
    const first = await aGeneration(place(), projection, 'live');
    const second = await aGeneration(place(), projection, 'building');
    expect(await place().one.change(projection, () => ({ makeLive: second.name }))).to.deep.equal({
      created: undefined,
      leases: [],
    });
    const there = [
      { ...second, role: 'live' },
      { ...first, role: 'previous' },
    ];
    expect(await place().other.generations(projection.name)).to.deep.equal(there);
  });

  it('drops generations with their rows, leases and parked entities', async () => {
    const projection = aProjection();
    const live = await aWriter(place(), projection);
    const building = await aWriter(place(), projection, { role: 'building' });
    await written(place(), building, stepTo(5n), aBusiness());
    await place().one.change(projection, () => ({ drop: [building.name] }));
    expect(namesOf(await place().other.generations(projection.name))).to.deep.equal([live.name]);
    expect(await place().one.storedRows(projection, building.generation).snapshots([])).to.equal(undefined);
    expect(await place().one.acquire(building.name, 'one', true)).to.equal(undefined);
    // and those that are gone already
    expect(await place().one.change(projection, () => ({ drop: [building.name] }))).not.to.equal(undefined);
    expect(namesOf(await place().other.generations(projection.name))).to.deep.equal([live.name]);
  });

  it('makes one live, drops the one that was, and makes another, in one change', async () => {
    const projection = aProjection();
    const first = await aWriter(place(), projection);
    const second = await aWriter(place(), projection, { role: 'building' });
    const create = { role: 'building', logIdentity: 'b', isRebuild: true, skips: 0, holder: 'three' } as const;
    const changed = await place().one.change(projection, () => ({
      acquire: { holder: 'one', names: [second.name, first.name] },
      makeLive: second.name,
      drop: [first.name],
      create,
      markEvidence: [second.name],
    }));
    expect(changed?.leases).to.deep.equal([
      second.lease,
      first.lease,
      { name: changed?.created?.name, holder: 'three', fencing: '1' },
    ]);
    const { generations: there } = await whatIsThere(place().other, projection);
    expect(there.map(({ name, role, holder }) => [name, role, holder])).to.deep.equal([
      [second.name, 'live', 'one'],
      [changed?.created?.name, 'building', 'three'],
    ]);
  });

  it('gives up a brief change while others hold what it needs', async function () {
    const { whileLocked, one, other } = place();
    if (whileLocked === undefined) return this.skip();
    const projection = aProjection();
    await aWriter(place(), projection);
    const building = await aWriter(place(), projection, { role: 'building' });
    const before = await whatIsThere(one, projection);
    await whileLocked(projection.name, async () => {
      expect(await one.change(projection, () => ({ makeLive: building.name }), { isBrief: true })).to.equal(undefined);
      const differences = { keep: 0, onDifference: () => Promise.resolve() };
      expect(await one.compare(building, () => ({ write: undefined }), differences)).to.equal(undefined);
    });
    expect(await whatIsThere(one, projection)).to.deep.equal(before);
    expect(await other.change(projection, () => ({ makeLive: building.name }), { isBrief: true })).not.to.equal(
      undefined,
    );
  });
};
