import type { either as E } from 'fp-ts';
import { readEvent } from '../../src/event-sourcing/read-event.js';
import type { EventKey } from '../../src/event-sourcing/event-key.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { categoryOf, type StoredEvent, type StreamName } from '../../src/event-sourcing/recorded-event.js';
import type { Runtime } from '../../src/event-sourcing/runtime.js';
import type { Projection } from '../projection.js';
import { attemptInEngine, type EngineFailure } from './engine-failure.js';
import { requireSameLogs } from './generation/provenance.js';
import { type Decision, recordSkip } from './parked/record-skip.js';
import type { Parked } from './parked/parked.js';
import type { ReadModelStorage } from './storage.js';
import { repair, type Repaired, type RepairOptions } from './verify/repair.js';
import { type VerifiedRows, verifyRows, type VerifyingRows } from './verify/verify-rows.js';

type InEngine<A> = Promise<E.Either<EngineFailure, A>>;

/** What an operator can do with one read model. Rejects with errors of log and database. */
export type ReadModelOperations = {
  readonly name: string;
  readonly verify: (verifying: VerifyingRows) => InEngine<VerifiedRows>;
  /** Computes the row of an entity anew from its stream. */
  readonly repair: (stream: StreamName, options?: RepairOptions) => InEngine<Repaired>;
  readonly recordSkip: (
    event: Pick<Parked, 'stream' | 'revision' | 'eventId'>,
    decision: Decision,
  ) => ReturnType<typeof recordSkip>;
};

export type Operations = {
  readonly readModels: ReadonlyArray<ReadModelOperations>;
  /** The read model that shows entities of the stream's category. */
  readonly showing: (stream: StreamName) => ReadModelOperations | undefined;
  readonly listParked: (limit: number) => Promise<ReadonlyArray<Parked>>;
  readonly findParked: (stream: StreamName) => Promise<Parked | undefined>;
  /** The stored event; undefined when it is not in the log. */
  readonly readEvent: (event: Pick<Parked, 'stream' | 'revision'>) => Promise<StoredEvent | undefined>;
};

const operate = (
  runtime: Runtime,
  store: EventStore,
  storage: ReadModelStorage,
  projection: Projection,
  eventKey: EventKey | undefined,
): ReadModelOperations => ({
  name: projection.name,
  verify: (verifying) => attemptInEngine(() => verifyRows(storage, store, projection, verifying)),
  repair: (stream, options) => attemptInEngine(() => repair({ runtime, storage, store }, projection, stream, options)),
  recordSkip: (event, decision) => recordSkip(runtime, store, projection.name, event, decision, eventKey),
});

/**
 * What an operator can do with single entities, beside a running service or without one. `WrongLog` when the live rows
 * are of another log.
 */
export const operationsOn = (
  runtime: Runtime,
  store: EventStore,
  storage: ReadModelStorage,
  projections: ReadonlyArray<Projection>,
  /** What decisions are sealed with. Default: nothing, and they have no `mac`. */
  eventKey?: EventKey,
): InEngine<Operations> =>
  attemptInEngine(async () => {
    await requireSameLogs(store, storage, projections);
    const readModels = projections.map((projection) => operate(runtime, store, storage, projection, eventKey));
    const byCategory = new Map(projections.map(({ category }, index) => [category, readModels[index]]));
    return {
      readModels,
      showing: (stream) => byCategory.get(categoryOf(stream)),
      listParked: storage.listParked,
      findParked: storage.findParked,
      readEvent: ({ stream, revision }) => readEvent(store, stream, revision),
    };
  });
