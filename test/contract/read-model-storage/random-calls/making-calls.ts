import type { Generation, GenerationState } from '../../../../projections/engine/generation/generation.js';
import type { Lease } from '../../../../projections/engine/generation/lease.js';
import { EMPTY } from '../../../../projections/engine/ledger/number-rows.js';
import type {
  BatchOfChange,
  Change,
  LedgerWriter,
  ReadModelStorage,
  Step,
} from '../../../../projections/engine/storage.js';
import type { ReadModel } from '../../../../projections/read-model.js';
import { compare } from '../compared.js';
import { ledgerBatch, rowsFor } from '../ledger-under-test.js';
import type { Place } from '../storage-under-test.js';
import type { Call, DrawnBatch, DrawnChange, DrawnStep } from './calls.js';
import { creationOf, entityBatch, entityOf, idsOf, parkingOf, stepOf, streamAt } from './drawn.js';

const HOLDERS = ['one', 'two'];

const NO_ROWS: DrawnBatch = { entities: [], parkings: [], rows: 0, isGapped: false };

type Written = {
  readonly generation: number;
  readonly process: number;
  readonly step: DrawnStep;
  readonly batch: DrawnBatch;
};

/** What two processes do that write one read model on a place. */
export const makeCaller = (place: Place, model: ReadModel, sequence: number) => {
  const ids = idsOf(sequence);
  const made: Array<Generation> = [];
  const leases = new Map<string, Lease>();

  const storageOf = (process: number): ReadModelStorage => (process === 0 ? place.one : place.other);
  const holderOf = (process: number): string => HOLDERS[process] ?? 'nobody';
  /** Also one that was dropped. */
  const generationOf = (which: number): Generation => made.at(-1 - (which % made.length))!;
  const leaseOf = (which: number, process: number): Lease => {
    const [{ name }, holder] = [generationOf(which), holderOf(process)];
    return leases.get(`${holder} ${name}`) ?? { name, holder, fencing: '1' };
  };
  const remember = (...had: ReadonlyArray<Lease | undefined>): void => {
    for (const lease of had) if (lease !== undefined) leases.set(`${lease.holder} ${lease.name}`, lease);
  };
  const acquire = async (which: number, process: number, takesOver: boolean) => {
    const lease = await storageOf(process).acquire(generationOf(which).name, holderOf(process), takesOver);
    remember(lease);
    return lease;
  };
  const isThere = async ({ name }: Generation): Promise<Generation | undefined> =>
    (await place.one.generations(model.name)).find((each) => each.name === name);
  const stepFor = async (which: number, step: DrawnStep): Promise<Step> =>
    stepOf((await isThere(generationOf(which)))?.checkpoint ?? 'start', step);
  const writerOf = (which: number, process: number) => {
    const [generation, lease] = [generationOf(which), leaseOf(which, process)];
    return { generation, lease, notifies: false };
  };

  /** Numbered on from the rows that are there. */
  const ledgerBatchFor = async (writer: LedgerWriter, { rows, isGapped }: DrawnBatch) => {
    const end = (await isThere(writer.generation)) === undefined ? EMPTY : await place.one.ledgerRows(writer).end();
    const events = Array.from({ length: rows }, (_, at) => creationOf(`${sequence}-${end.size}-${at}`));
    const size = isGapped ? end.size + 1n : end.size;
    return ledgerBatch(rowsFor(writer.projection, events, { ...end, size }));
  };

  const batchFor = async ({ generation, process, step, batch }: Written): Promise<BatchOfChange> => {
    const [own, taken] = [writerOf(generation, process), await stepFor(generation, step)];
    if (model.rowFor === 'entity')
      return { rowFor: 'entity', writer: { ...own, projection: model }, step: taken, batch: entityBatch(ids, batch) };
    const writer = { ...own, projection: model };
    return { rowFor: 'event', writer, step: taken, batch: await ledgerBatchFor(writer, batch) };
  };

  const prepared = (storage: ReadModelStorage, one: BatchOfChange) =>
    one.rowFor === 'entity'
      ? storage.entityRows(one.writer).prepare(one.batch.entities)
      : storage.ledgerRows(one.writer).prepare(one.batch);

  const changeFor = async (drawn: DrawnChange) => {
    const { process, acquire: taken, makeLive, handOver, drop, create, evidence } = drawn;
    const batch = drawn.write && (await batchFor(drawn.write));
    const names = (which: ReadonlyArray<number>) => which.map((each) => generationOf(each).name);
    return (generations: ReadonlyArray<GenerationState>): Change => {
      const there = new Set(generations.map(({ name }) => name));
      const live = generations.find(({ role }) => role === 'live')?.name;
      const [next] = makeLive === undefined ? [] : names([makeLive]).filter((name) => there.has(name));
      const dropped = drop === undefined ? [] : names([drop]).filter((name) => name !== (next ?? live));
      const hasLive = (next ?? live) !== undefined;
      // live rows are written by no change, and what was written stays where a lease is not to be had
      const write = batch?.writer.generation.name === live ? undefined : batch;
      return {
        write,
        ...(write === undefined && taken && { acquire: { holder: holderOf(process), names: names(taken) } }),
        ...(next !== undefined && { makeLive: next }),
        ...(handOver && { handOver: { lease: leaseOf(handOver.lease, process), to: generationOf(handOver.to).name } }),
        drop: dropped,
        ...(create && {
          create: {
            ...{ role: hasLive ? 'building' : 'live', logIdentity: create.log, skips: create.skips },
            ...{ isRebuild: create.isRebuild, ...(create.isHeld && { holder: holderOf(process) }) },
          },
        }),
        markEvidence: evidence === undefined ? [] : names([evidence]),
      };
    };
  };

  const change = async (drawn: DrawnChange) => {
    const decide = await changeFor(drawn);
    const seen: Array<unknown> = [];
    const options = drawn.lease === undefined ? {} : { lease: leaseOf(drawn.lease, drawn.process) };
    const changed = await storageOf(drawn.process).change(
      model,
      (generations) => {
        for (const { msInRole: _ms, ...state } of generations) seen.push(state);
        return decide(generations);
      },
      options,
    );
    remember(...(changed?.leases ?? []));
    if (changed?.created !== undefined) made.push(changed.created);
    return { changed, seen };
  };

  const create = async (process: number, isRebuild: boolean) => {
    const changed = await storageOf(process).change(model, (all) => ({
      create: {
        ...{ role: all.some(({ role }) => role === 'live') ? 'building' : 'live', logIdentity: 'a' },
        ...{ isRebuild, skips: 0, holder: holderOf(process) },
      },
    }));
    remember(...(changed?.leases ?? []));
    if (changed?.created !== undefined) made.push(changed.created);
    return changed;
  };

  /** What the call answers. */
  const make = async ({ _tag, fields }: Call): Promise<unknown> => {
    if (made.length === 0) return create(0, false);
    switch (_tag) {
      case 'Create':
        return create(fields.process, fields.isRebuild);
      case 'Acquire':
        return acquire(fields.generation, fields.process, fields.takesOver);
      case 'Release':
        return storageOf(fields.process).release(leaseOf(fields.generation, fields.process));
      case 'TimePasses':
        for (const { name } of made) await place.letLeaseExpire(name);
        return undefined;
      case 'Step': {
        const { rowFor, writer, step } = await batchFor({ ...fields, batch: NO_ROWS });
        const storage = storageOf(fields.process);
        return rowFor === 'entity' ? storage.entityRows(writer).step(step) : storage.ledgerRows(writer).step(step);
      }
      case 'Write': {
        const one = await batchFor(fields);
        const write = prepared(storageOf(fields.process), one);
        if (fields.isStale) await acquire(fields.generation, 1 - fields.process, true);
        const written = await write(one.step);
        // of a generation that is gone, a row may be rejected or not
        return (await isThere(one.writer.generation)) === undefined ? undefined : written;
      }
      case 'WriteWithParking': {
        const one = await batchFor(fields);
        const storage = storageOf(fields.process);
        if (one.rowFor === 'event')
          return storage.whileWriting((rows) => rows.ledgerRows(one.writer).prepare(one.batch)(one.step));
        const outcome = await storage.entityRows(one.writer).writeWithParking(one.step, one.batch);
        // the salt of an event is another one on each place
        const parkings = outcome?.parkings.map(({ event: { stream, revision, position }, ...why }) => ({
          ...why,
          at: [stream, revision, position],
        }));
        return outcome && { ...outcome, parkings };
      }
      case 'Rewrite': {
        if (model.rowFor === 'event') return undefined;
        const writer = { ...writerOf(fields.generation, fields.process), projection: model };
        const { from, mustBeLive = false } = await stepFor(fields.generation, fields.step);
        const entity = fields.entity && entityOf(ids, fields.entity);
        const parking = fields.parking && parkingOf(ids, fields.parking);
        const stream =
          entity === undefined ? (parking?.event.stream ?? streamAt(ids, 0)) : streamAt(ids, fields.entity!.which);
        const own = parking && { ...parking, event: { ...parking.event, stream } };
        return storageOf(fields.process).rewrite(writer, from, { stream, entity, parking: own, mustBeLive });
      }
      case 'WhyRejected': {
        if (model.rowFor === 'event' || (await isThere(generationOf(fields.generation))) === undefined)
          return undefined;
        const writer = { ...writerOf(fields.generation, fields.process), projection: model };
        return storageOf(fields.process).whyRejected(writer, entityOf(ids, fields.entity));
      }
      case 'Change':
        return change(fields);
      case 'Compare': {
        const writer = { ...writerOf(fields.generation, fields.process), projection: model };
        const live = (await place.one.generations(model.name)).find(({ role }) => role === 'live');
        // live rows are not compared with themselves
        if (live?.name === writer.generation.name) return undefined;
        const write = fields.write && (await batchFor({ ...fields, ...fields.write }));
        return compare(storageOf(fields.process), writer, { write, keep: 2 });
      }
      case 'NoteAcknowledged':
        await place.one.noteAcknowledged(model.name, BigInt(fields.position));
        return [await place.acknowledged(model.name, 'a'), await place.acknowledged(model.name, 'b')];
    }
  };

  return { make, names: () => made.map(({ name }) => name) };
};
