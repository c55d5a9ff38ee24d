import { expect } from 'chai';
import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import { aLedger } from './ledger-under-test.js';
import { acquired, aGeneration, aProjection, aWriter, type PlaceUnderTest, stepTo } from './storage-under-test.js';

/** How far live rows are, and what is noted of that. */
export const checkpoints = (place: PlaceUnderTest): void => {
  it('tells how far live rows are, and whether somebody may write them', async () => {
    const projection = aProjection();
    const checkpoint = async () => {
      const all = await place().other.liveCheckpoints();
      const own = all.filter((one) => one.projection === projection.name);
      expect(own).to.have.length(1);
      return [own[0]?.commit, own[0]?.lease];
    };
    const { name } = await aGeneration(place(), projection, 'live');
    expect(await checkpoint()).to.deep.equal([-1n, 'Free']);
    const lease = await acquired(place().one, name, 'one');
    expect(await checkpoint()).to.deep.equal([-1n, 'Held']);
    const generation = (await place().one.generations(projection.name))[0]!;
    await place().one.entityRows({ projection, generation, lease, notifies: false }).step(stepTo(7n));
    expect(await checkpoint()).to.deep.equal([7n, 'Held']);
    await place().letLeaseExpire(name);
    expect(await checkpoint()).to.deep.equal([7n, 'Lapsed']);
    await place().one.release(lease);
    expect(await checkpoint()).to.deep.equal([7n, 'Free']);
    await place().letLeaseExpire(name);
    expect(await checkpoint()).to.deep.equal([7n, 'Free']);
    const building = await aWriter(place(), projection, { role: 'building' });
    expect(await checkpoint()).to.deep.equal([7n, 'Free']);
    await place().one.change(projection, () => ({ makeLive: building.name }));
    expect(await checkpoint()).to.deep.equal([-1n, 'Held']);
  });

  it('tells it of live rows only', async () => {
    const projection = aProjection();
    await aWriter(place(), projection, { role: 'building' });
    const names = (await place().one.liveCheckpoints()).map((one) => one.projection);
    expect(names).not.to.include(projection.name);
  });

  it('notes beside live rows what is acknowledged, and nothing lower than before', async () => {
    const projection = aProjection();
    const noted = () => place().acknowledged(projection.name, 'a-log');
    await place().one.noteAcknowledged(projection.name, 5n);
    expect(await noted()).to.equal(undefined);
    await aGeneration(place(), projection, 'building');
    await place().one.noteAcknowledged(projection.name, 5n);
    expect(await noted()).to.equal(undefined);
    const live = await aGeneration(place(), projection, 'live');
    const seen = [];
    for (const position of [5n, 4n, 7n, 6n, 7n]) {
      await place().one.noteAcknowledged(projection.name, position);
      seen.push(await noted());
    }
    expect(seen).to.deep.equal([5n, 5n, 7n, 7n, 7n]);
    const other = await aGeneration(place(), projection, 'building', { logIdentity: 'another-log' });
    await place().one.change(projection, () => ({ makeLive: other.name, drop: [live.name] }));
    await place().other.noteAcknowledged(projection.name, 3n);
    expect([await noted(), await place().acknowledged(projection.name, 'another-log')]).to.deep.equal([7n, 3n]);
  });

  it('tells others of a live checkpoint that a writer who notifies has moved', async () => {
    const [heard, over] = [new Array<readonly [string, Position]>(), new AbortController()];
    const names = new Set<string>();
    const onCheckpoint = (readModel: string, commit: Position) => {
      if (names.has(readModel)) heard.push([readModel, commit]);
    };
    const ended = place().other.listen(onCheckpoint, () => undefined, over.signal);
    const writer = async (over: { readonly notifies: boolean }, role: 'live' | 'building' = 'live') => {
      const made = await aWriter(place(), aProjection(), { role });
      names.add(made.projection.name);
      return { ...made, ...over };
    };
    const marker = await writer({ notifies: true });
    let at = 0n;
    const mark = async (): Promise<void> => {
      const before = heard.length;
      // until it is heard: nothing tells when listening has begun
      while (heard.length === before) {
        await place()
          .one.entityRows(marker)
          .step(stepTo(at + 1n, at === 0n ? 'start' : at));
        at += 1n;
        await new Promise(setImmediate);
      }
    };
    await mark();
    const [silent, building, told] = [
      await writer({ notifies: false }),
      await writer({ notifies: true }, 'building'),
      await writer({ notifies: true }),
    ];
    const ledger = { ...(await aWriter(place(), aLedger())), notifies: true };
    names.add(ledger.projection.name);
    for (const each of [silent, building, told]) await place().one.entityRows(each).step(stepTo(5n));
    await place().one.entityRows(told).step(stepTo(9n, 4n));
    await place().one.entityRows(told).prepare([])(stepTo(6n, 5n));
    await place().one.entityRows(told).writeWithParking(stepTo(7n, 6n), { entities: [], parkings: [], events: [] });
    await place().one.ledgerRows(ledger).step(stepTo(8n));
    const last = [marker.projection.name, at + 1n] as const;
    await place()
      .one.entityRows(marker)
      .step(stepTo(at + 1n, at));
    while (!heard.some(([name, commit]) => name === last[0] && commit === last[1])) await new Promise(setImmediate);
    expect(heard.filter(([name]) => name !== marker.projection.name)).to.deep.equal([
      [told.projection.name, 5n],
      [told.projection.name, 6n],
      [told.projection.name, 7n],
      [ledger.projection.name, 8n],
    ]);
    over.abort();
    await ended;
    const before = heard.length;
    await place().one.entityRows(told).step(stepTo(10n, 7n));
    await new Promise(setImmediate);
    expect(heard).to.have.length(before);
  });

  it('has done when it is not to listen at all', async () => {
    await place().one.listen(
      () => undefined,
      () => undefined,
      AbortSignal.abort(),
    );
  });
};
