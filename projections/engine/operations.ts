import type { Pool } from 'pg';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { categoryOf, type StoredEvent, type StreamName } from '../../src/event-sourcing/recorded-event.js';
import type { DomainEvent } from '../../src/event-sourcing/serde.js';
import { businesses } from '../businesses.js';
import { documents } from '../documents.js';
import type { Projection } from '../projection.js';
import { type Decision, recordSkip } from './parked/record-skip.js';
import { findParked, listParked, type Parked } from './parked/read-parked.js';
import { refold, type Refolded } from './refold.js';
import { type VerifiedRows, verifyRows, type VerifyingRows } from './verify/verify-rows.js';

/** What an operator does with one read model; each throws what log and database throw, and `NoLiveRows`. */
export type ReadModelOperations = {
  readonly name: Projection<never, never>['name'];
  readonly verify: (verifying: VerifyingRows) => Promise<VerifiedRows>;
  /** Writes the row of an entity anew from its stream. */
  readonly refold: (stream: StreamName) => Promise<Refolded>;
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
  /** An event as it is stored; undefined when there is none. */
  readonly readEvent: (place: Pick<Parked, 'stream' | 'revision'>) => Promise<StoredEvent | undefined>;
};

/** The read models as an operator works on them, beside services that run or without any. */
export const operationsOn = (store: EventStore, pool: Pool): Operations => {
  const operate = <State, Event extends DomainEvent>(projection: Projection<State, Event>): ReadModelOperations => ({
    name: projection.name,
    verify: (verifying) => verifyRows(pool, store, projection, verifying),
    refold: (stream) => refold(pool, store, projection, stream),
    recordSkip: (event, decision) => recordSkip(store, projection.name, event, decision),
  });
  const [ofBusinesses, ofDocuments] = [operate(businesses), operate(documents)];
  const byCategory = new Map<string, ReadModelOperations>([
    [businesses.category, ofBusinesses],
    [documents.category, ofDocuments],
  ]);
  return {
    readModels: [ofBusinesses, ofDocuments],
    showing: (stream) => byCategory.get(categoryOf(stream)),
    listParked: (limit) => listParked(pool, limit),
    findParked: (stream) => findParked(pool, stream),
    readEvent: async ({ stream, revision }) => {
      for await (const [event] of store.readStream(stream, { direction: 'forwards', from: revision, limit: 1 }))
        return event;
      return undefined;
    },
  };
};
