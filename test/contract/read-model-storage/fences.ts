import { expect } from 'chai';
import { checkpointAt } from '../../../src/event-sourcing/recorded-event.js';
import type { Projection } from '../../../projections/projection.js';
import type { BatchOfChange, EntityWriter, ReadModelStorage, Step } from '../../../projections/engine/storage.js';
import {
  aBusiness,
  acquired,
  aParking,
  aProjection,
  aWriter,
  eventsOf,
  type Place,
  type PlaceUnderTest,
  stepTo,
  streamOf,
  whatIsThere,
  written,
} from './storage-under-test.js';

type Attempt = { readonly writer: EntityWriter; readonly step: Step };

const CHANGING = 'rows in a change';
const COMPARING = 'rows before a comparison';
const BECAME_LIVE = 'it must be the live generation and has become it';

/** Each way to write rows of entities with a step: whether it wrote. */
const WAYS: Readonly<Record<string, (storage: ReadModelStorage, attempt: Attempt) => Promise<boolean>>> = {
  'a step': async (storage, { writer, step }) => (await storage.entityRows(writer).step(step)) !== undefined,
  rows: async (storage, { writer, step }) =>
    (await storage.entityRows(writer).prepare([aBusiness({ creationPosition: 7n })])(step)) !== undefined,
  'rows while others are written': (storage, { writer, step }) =>
    storage.whileWriting(
      async (rows) =>
        (await rows.entityRows(writer).prepare([aBusiness({ creationPosition: 7n })])(step)) !== undefined,
    ),
  'rows with parking': async (storage, { writer, step }) => {
    const { entities, parkings, events } = batchOf();
    return (await storage.entityRows(writer).writeWithParking(step, { entities, parkings, events })) !== undefined;
  },
  [CHANGING]: async (storage, attempt) =>
    (await storage.change(attempt.writer.projection, () => ({ write: ofChange(attempt) }))) !== undefined,
  [COMPARING]: async (storage, attempt) => {
    const nothing = { keep: 0, onDifference: () => Promise.resolve() };
    return (await storage.compare(attempt.writer, () => ({ write: ofChange(attempt) }), nothing)) !== undefined;
  },
  'a row anew': async (storage, { writer, step: { from, mustBeLive = false } }) => {
    const entity = aBusiness({ isParked: true });
    const row = { stream: streamOf(entity), entity, parking: aParking(entity), mustBeLive };
    const outcome = await storage.rewrite(writer, from, row);
    if (typeof outcome !== 'string') throw new Error(outcome.rejected);
    return outcome === 'Written';
  },
};

/** One entity that is changed, and one that is parked. */
const batchOf = () => {
  const [entity, parked] = [aBusiness(), aBusiness({ isParked: true, revision: -1n })];
  return {
    entities: [entity, parked],
    parkings: [aParking(parked)],
    events: [...eventsOf(entity), ...eventsOf(parked)],
  };
};

const ofChange = ({ writer, step }: Attempt): BatchOfChange => ({ rowFor: 'entity', writer, step, batch: batchOf() });

type Scene = { readonly place: Place; readonly projection: Projection } & Attempt;

/** What is between a writer and its rows; gives what the writer tries then. */
const FENCES: Readonly<Record<string, (scene: Scene) => Promise<Partial<Attempt>>>> = {
  'the rows are said to have no checkpoint': ({ step }) => Promise.resolve({ step: { ...step, from: 'start' } }),
  'the checkpoint is behind': ({ step }) => Promise.resolve({ step: { ...step, from: checkpointAt(6n) } }),
  'the checkpoint is ahead': async ({ place, writer, step }) => {
    await place.one.entityRows(writer).step(stepTo(6n, 5n));
    return { step };
  },
  'another has taken over the lease': async ({ place, writer }) => {
    await acquired(place.other, writer.generation.name, 'two');
    return {};
  },
  'another has begun after it released the lease': async ({ place, writer }) => {
    await place.one.release(writer.lease);
    await place.other.acquire(writer.generation.name, 'two', false);
    return {};
  },
  'another has begun after the lease was over': async ({ place, writer }) => {
    await place.letLeaseExpire(writer.generation.name);
    await place.other.acquire(writer.generation.name, 'two', false);
    return {};
  },
  'another had the lease, and it has it again': async ({ place, writer }) => {
    await acquired(place.other, writer.generation.name, 'two');
    await acquired(place.one, writer.generation.name, 'one');
    return {};
  },
  'it only knows the number of the lease': async ({ place, writer }) => {
    const { fencing } = await acquired(place.other, writer.generation.name, 'two');
    return { writer: { ...writer, lease: { ...writer.lease, fencing } } };
  },
  'the lease was handed over': async ({ place, projection, writer }) => {
    const live = (await place.one.generations(projection.name)).find(({ role }) => role === 'live')!;
    await acquired(place.other, live.name, 'two');
    await place.one.change(projection, () => ({ handOver: { lease: writer.lease, to: live.name } }));
    return {};
  },
  'it must be the live generation and is not': ({ step }) => Promise.resolve({ step: { ...step, mustBeLive: true } }),
  'the generation was dropped': async ({ place, projection, writer }) => {
    await place.other.change(projection, () => ({ drop: [writer.generation.name] }));
    return {};
  },
};

/** What stops no writer. */
const NO_FENCES: Readonly<Record<string, (scene: Scene) => Promise<Partial<Attempt>>>> = {
  'it has the lease': () => Promise.resolve({}),
  'it has renewed the lease': async ({ place, writer }) => {
    await place.one.acquire(writer.generation.name, 'one', false);
    return {};
  },
  'the lease is over and nobody has taken it': async ({ place, writer }) => {
    await place.letLeaseExpire(writer.generation.name);
    return {};
  },
  'it has released the lease and nobody has taken it': async ({ place, writer }) => {
    await place.one.release(writer.lease);
    return {};
  },
  [BECAME_LIVE]: async ({ place, projection, writer, step }) => {
    await place.one.change(projection, () => ({ makeLive: writer.generation.name }));
    return { step: { ...step, mustBeLive: true } };
  },
};

export const fences = (place: PlaceUnderTest): void => {
  const arrange = async (): Promise<Scene> => {
    const projection = aProjection();
    await written(place(), await aWriter(place(), projection), stepTo(9n), aBusiness());
    const writer = await aWriter(place(), projection, { role: 'building' });
    await written(place(), writer, stepTo(5n), aBusiness());
    return { place: place(), projection, writer, step: stepTo(7n, 5n) };
  };

  for (const [way, write] of Object.entries(WAYS))
    describe(way, () => {
      for (const [when, fence] of Object.entries(FENCES))
        it(`writes nothing when ${when}`, async () => {
          const scene = await arrange();
          const attempt = { ...scene, ...(await fence(scene)) };
          const before = await whatIsThere(scene.place.one, scene.projection);
          expect(await write(scene.place.one, attempt)).to.equal(false);
          expect(await whatIsThere(scene.place.other, scene.projection)).to.deep.equal(before);
        });

      for (const [when, fence] of Object.entries(NO_FENCES)) {
        // live rows are not compared with themselves, and are written by no change
        if ([CHANGING, COMPARING].includes(way) && when === BECAME_LIVE) continue;
        it(`writes when ${when}`, async () => {
          const scene = await arrange();
          const attempt = { ...scene, ...(await fence(scene)) };
          const before = await whatIsThere(scene.place.one, scene.projection);
          expect(await write(scene.place.one, attempt)).to.equal(true);
          expect(await whatIsThere(scene.place.other, scene.projection)).not.to.deep.equal(before);
        });
      }
    });

  it('has no rows written that were prepared before another took over the lease', async () => {
    const { projection, writer, step } = await arrange();
    const write = place().one.entityRows(writer).prepare([aBusiness()]);
    const lease = await acquired(place().other, writer.generation.name, 'two');
    const entity = aBusiness();
    const row = { stream: streamOf(entity), entity, parking: undefined };
    expect(await place().other.rewrite({ ...writer, lease }, step.from, row)).to.equal('Written');
    const before = await whatIsThere(place().one, projection);
    expect(await write(step)).to.equal(undefined);
    expect(await whatIsThere(place().one, projection)).to.deep.equal(before);
  });

  it('has one of two batches written that follow the same checkpoint', async () => {
    const { projection, writer } = await arrange();
    const attempts = [7n, 8n, 9n, 10n].map((to, index) =>
      (index % 2 === 0 ? place().one : place().other).entityRows(writer).prepare([aBusiness({ creationPosition: to })])(
        stepTo(to, 5n),
      ),
    );
    const outcomes = await Promise.all(attempts);
    expect(outcomes.filter((role) => role === 'building')).to.have.length(1);
    expect(outcomes.filter((role) => role === undefined)).to.have.length(3);
    const building = (await whatIsThere(place().one, projection)).generations[1];
    expect(building?.rows.map((row) => row['place']).sort()).to.deep.equal(
      ['5', String(7 + outcomes.indexOf('building'))].sort(),
    );
  });

  it('has a step say which role the generation had then', async () => {
    const { projection, writer } = await arrange();
    const rows = place().one.entityRows(writer);
    expect(await rows.step(stepTo(6n, 5n))).to.equal('building');
    await place().one.change(projection, () => ({ makeLive: writer.generation.name }));
    expect(await rows.step(stepTo(7n, 6n))).to.equal('live');
    const next = await aWriter(place(), projection, { role: 'building' });
    await place().one.change(projection, () => ({ makeLive: next.generation.name }));
    expect(await rows.step(stepTo(8n, 7n))).to.equal('previous');
  });
};
