import { expect } from 'chai';
import { checkpointAt } from '../../../src/event-sourcing/recorded-event.js';
import { EMPTY } from '../../../projections/engine/ledger/number-rows.js';
import type { BatchOfChange, LedgerWriter, ReadModelStorage, Step } from '../../../projections/engine/storage.js';
import { aLedger, creation, filled, ledgerBatch, rowsFor, whatIsInLedger } from './ledger-under-test.js';
import { acquired, aWriter, type Place, type PlaceUnderTest, stepTo } from './storage-under-test.js';

type Attempt = { readonly writer: LedgerWriter; readonly step: Step };

const batchOf = ({ writer: { projection } }: Attempt) =>
  ledgerBatch(
    rowsFor(projection, [creation()], { ...EMPTY, size: 1n }),
    ledgerBatch(rowsFor(projection, [creation()])).edge,
  );

const ofChange = (attempt: Attempt): BatchOfChange => ({ rowFor: 'event', ...attempt, batch: batchOf(attempt) });

const WAYS: Readonly<Record<string, (storage: ReadModelStorage, attempt: Attempt) => Promise<boolean>>> = {
  'a step': async (storage, { writer, step }) => (await storage.ledgerRows(writer).step(step)) !== undefined,
  rows: async (storage, attempt) =>
    (await storage.ledgerRows(attempt.writer).prepare(batchOf(attempt))(attempt.step)) !== undefined,
  'rows while others are written': (storage, attempt) =>
    storage.whileWriting(
      async (rows) => (await rows.ledgerRows(attempt.writer).prepare(batchOf(attempt))(attempt.step)) !== undefined,
    ),
  'rows in a change': async (storage, attempt) =>
    (await storage.change(attempt.writer.projection, () => ({ write: ofChange(attempt) }))) !== undefined,
  'rows before a comparison': async (storage, attempt) => {
    const nothing = { keep: 0, onDifference: () => Promise.resolve() };
    return (await storage.compare(attempt.writer, () => ({ write: ofChange(attempt) }), nothing)) !== undefined;
  },
};

const FENCES: Readonly<Record<string, (place: Place, attempt: Attempt) => Promise<Partial<Attempt>>>> = {
  'the checkpoint is elsewhere': (_place, { step }) => Promise.resolve({ step: { ...step, from: checkpointAt(6n) } }),
  'another has taken over the lease': async ({ other }, { writer }) => {
    await acquired(other, writer.generation.name, 'two');
    return {};
  },
  'another had the lease, and it has it again': async ({ one, other }, { writer }) => {
    await acquired(other, writer.generation.name, 'two');
    await acquired(one, writer.generation.name, 'one');
    return {};
  },
  'it must be the live generation and is not': (_place, { step }) =>
    Promise.resolve({ step: { ...step, mustBeLive: true } }),
  'the generation was dropped': async ({ other }, { writer }) => {
    await other.change(writer.projection, () => ({ drop: [writer.generation.name] }));
    return {};
  },
};

export const ledgerFences = (place: PlaceUnderTest): void => {
  const arrange = async (): Promise<Attempt> => {
    const projection = aLedger();
    await filled(place(), await aWriter(place(), projection), stepTo(9n), rowsFor(projection, [creation()]));
    const writer = await aWriter(place(), projection, { role: 'building' });
    await filled(place(), writer, stepTo(5n), rowsFor(projection, [creation()]));
    return { writer, step: stepTo(7n, 5n) };
  };

  for (const [way, write] of Object.entries(WAYS))
    describe(way, () => {
      for (const [when, fence] of Object.entries(FENCES))
        it(`writes nothing when ${when}`, async () => {
          const scene = await arrange();
          const attempt = { ...scene, ...(await fence(place(), scene)) };
          const before = await whatIsInLedger(place().one, scene.writer);
          expect(await write(place().one, attempt)).to.equal(false);
          expect(await whatIsInLedger(place().other, scene.writer)).to.deep.equal(before);
        });

      it('writes for who has the lease, also when it is over and nobody has taken it', async () => {
        const attempt = await arrange();
        await place().letLeaseExpire(attempt.writer.generation.name);
        const before = await whatIsInLedger(place().one, attempt.writer);
        expect(await write(place().one, attempt)).to.equal(true);
        expect(await whatIsInLedger(place().other, attempt.writer)).not.to.deep.equal(before);
      });
    });
};
