import { expect } from 'chai';
import { LEASE_MS } from '../../../projections/engine/generation/lease.js';
import {
  aBusiness,
  acquired,
  aGeneration,
  aProjection,
  aWriter,
  type PlaceUnderTest,
  stepTo,
  whatIsThere,
  written,
} from './storage-under-test.js';

export const leases = (place: PlaceUnderTest): void => {
  const arrange = async () => {
    const projection = aProjection();
    return { projection, ...(await aGeneration(place(), projection, 'live')) };
  };

  it('gives the lease of a generation to the first who wants it, and to nobody else', async () => {
    const { name } = await arrange();
    const lease = { name, holder: 'one', fencing: '1' };
    expect(await place().one.acquire(name, 'one', false)).to.deep.equal(lease);
    expect(await place().other.acquire(name, 'two', false)).to.equal(undefined);
    expect(await place().one.acquire(name, 'one', false)).to.deep.equal(lease);
  });

  it('renews a lease with the same number, also where it is taken over from its holder', async () => {
    const { name } = await arrange();
    const lease = await place().one.acquire(name, 'one', false);
    expect(await place().other.acquire(name, 'one', true)).to.deep.equal(lease);
    await place().letLeaseExpire(name);
    expect(await place().one.acquire(name, 'one', false)).to.deep.equal(lease);
  });

  it('gives a lease that is over to another, with a higher number', async () => {
    const { name } = await arrange();
    await acquired(place().one, name, 'one');
    await place().letLeaseExpire(name);
    expect(await place().other.acquire(name, 'two', false)).to.deep.equal({ name, holder: 'two', fencing: '2' });
    expect(await place().one.acquire(name, 'one', false)).to.equal(undefined);
  });

  it('lets a lease be taken over, and had again with another number', async () => {
    const { name } = await arrange();
    await acquired(place().one, name, 'one');
    expect(await place().other.acquire(name, 'two', true)).to.deep.equal({ name, holder: 'two', fencing: '2' });
    expect(await place().one.acquire(name, 'one', true)).to.deep.equal({ name, holder: 'one', fencing: '3' });
  });

  it('lets the next begin at once when a lease is released', async () => {
    const { name } = await arrange();
    await place().one.release(await acquired(place().one, name, 'one'));
    expect(await place().other.acquire(name, 'two', false)).to.deep.equal({ name, holder: 'two', fencing: '2' });
  });

  it('gives a lease back to who has released it, with the same number where nobody had it since', async () => {
    const { name } = await arrange();
    const lease = await acquired(place().one, name, 'one');
    await place().one.release(lease);
    expect(await place().one.acquire(name, 'one', false)).to.deep.equal(lease);
    expect(await place().other.acquire(name, 'two', false)).to.equal(undefined);
  });

  it('releases nothing for a former holder', async () => {
    const { name } = await arrange();
    const former = await acquired(place().one, name, 'one');
    await acquired(place().other, name, 'two');
    await place().one.release(former);
    expect(await place().one.acquire(name, 'three', false)).to.equal(undefined);
  });

  it('gives no lease of what is not there', async () => {
    const { projection, name } = await arrange();
    expect(await place().one.acquire(`${name}0`, 'one', true)).to.equal(undefined);
    const building = await aWriter(place(), projection, { role: 'building' });
    await place().other.change(projection, () => ({ drop: [building.name] }));
    for (const takeOver of [false, true])
      expect(await place().one.acquire(building.name, 'one', takeOver)).to.equal(undefined);
    await place().one.release(building.lease);
    expect(await place().one.acquire(building.name, 'one', false)).to.equal(undefined);
  });

  it('gives a lease for so long', async () => {
    const { projection, name } = await arrange();
    await acquired(place().one, name, 'one');
    const seconds = (await place().one.statuses()).find((one) => one.projection === projection.name)?.leader?.seconds;
    expect(seconds).to.be.within(0, LEASE_MS / 1_000 + place().keptSeconds);
  });

  it('gives one of many a lease that is free', async () => {
    const { name } = await arrange();
    const taken = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 === 0 ? place().one : place().other).acquire(name, `process ${index}`, false),
      ),
    );
    expect(taken.filter((lease) => lease !== undefined)).to.have.length(1);
  });

  it('has a change take the leases that it needs', async () => {
    const { projection, name } = await arrange();
    const other = await aGeneration(place(), projection, 'building');
    await place().other.release(await acquired(place().other, other.name, 'two'));
    const acquire = { holder: 'one', names: [other.name, name] };
    expect(await place().one.change(projection, () => ({ acquire }))).to.deep.equal({
      created: undefined,
      leases: [
        { name: other.name, holder: 'one', fencing: '2' },
        { name, holder: 'one', fencing: '1' },
      ],
    });
    expect(await place().other.acquire(name, 'two', false)).to.equal(undefined);
  });

  it('changes nothing at all where another holds one of the leases that it needs', async () => {
    const { projection, name } = await arrange();
    const held = await aWriter(place(), projection, { role: 'building', holder: 'two' });
    await written(place(), held, stepTo(5n), aBusiness());
    const before = await whatIsThere(place().one, projection);
    const create = { role: 'building', logIdentity: 'b', isRebuild: false, skips: 0, holder: 'one' } as const;
    for (const names of [
      [name, held.name],
      [held.name, name],
      [name, `${name}0`],
    ]) {
      const change = { acquire: { holder: 'one', names }, makeLive: held.name, drop: [name], create };
      expect(await place().one.change(projection, () => change)).to.equal(undefined);
      expect(await whatIsThere(place().one, projection)).to.deep.equal(before);
    }
    expect(await place().other.acquire(name, 'three', false)).to.deep.equal({ name, holder: 'three', fencing: '1' });
  });

  it('changes nothing for a writer that has lost its lease', async () => {
    const { projection, name } = await arrange();
    const lease = await acquired(place().one, name, 'one');
    await acquired(place().other, name, 'two');
    const again = await acquired(place().one, name, 'one');
    const before = await whatIsThere(place().one, projection);
    const create = { role: 'building', logIdentity: 'b', isRebuild: false, skips: 0 } as const;
    for (const lost of [lease, { ...again, holder: 'two' }, { ...again, name: `${name}0` }])
      expect(await place().one.change(projection, () => ({ create }), { lease: lost })).to.equal(undefined);
    expect(await whatIsThere(place().one, projection)).to.deep.equal(before);
    expect(await place().one.change(projection, () => ({ create }), { lease: again })).not.to.equal(undefined);
    await place().letLeaseExpire(name);
    expect(await place().one.change(projection, () => ({ create }), { lease: again })).not.to.equal(undefined);
    expect(await place().one.generations(projection.name)).to.have.length(3);
  });

  it('hands a lease over to whoever has another', async () => {
    const projection = aProjection();
    const live = await aWriter(place(), projection, { holder: 'two' });
    const building = await aWriter(place(), projection, { role: 'building' });
    await place().one.change(
      projection,
      () => ({ makeLive: building.name, handOver: { lease: building.lease, to: live.name } }),
      { lease: building.lease },
    );
    expect(await place().one.entityRows(building).step(stepTo(5n))).to.equal(undefined);
    expect(await place().one.acquire(building.name, 'one', false)).to.equal(undefined);
    const lease = await place().other.acquire(building.name, 'two', false);
    expect(lease).to.deep.equal({ name: building.name, holder: 'two', fencing: '2' });
    expect(
      await place()
        .other.entityRows({ ...building, lease: lease! })
        .step(stepTo(5n)),
    ).to.equal('live');
    expect(await place().other.entityRows(live).step(stepTo(5n))).to.equal('previous');
  });

  it('hands a lease over for as long as the other is had', async () => {
    const projection = aProjection();
    const live = await aWriter(place(), projection, { holder: 'two' });
    const building = await aWriter(place(), projection, { role: 'building' });
    await place().other.release(live.lease);
    await place().one.change(projection, () => ({ handOver: { lease: building.lease, to: live.name } }));
    expect(await place().one.entityRows(building).step(stepTo(5n))).to.equal(undefined);
    const taken = await place().one.acquire(building.name, 'three', false);
    expect(taken).to.deep.equal({ name: building.name, holder: 'three', fencing: '3' });
  });

  it('hands over no lease that is lost, and none to nobody', async () => {
    const projection = aProjection();
    const live = await aGeneration(place(), projection, 'live');
    const building = await aWriter(place(), projection, { role: 'building' });
    await place().one.change(projection, () => ({ handOver: { lease: building.lease, to: live.name } }));
    expect(await place().one.acquire(building.name, 'one', false)).to.deep.equal(building.lease);
    await acquired(place().other, live.name, 'two');
    const taken = await acquired(place().other, building.name, 'three');
    await place().one.change(projection, () => ({ handOver: { lease: building.lease, to: live.name } }));
    expect(await place().other.acquire(building.name, 'three', false)).to.deep.equal(taken);
  });
};
