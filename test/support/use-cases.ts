import { businessUseCases as ofBusinesses } from '../../src/application/business/use-cases.js';
import { documentUseCases as ofDocuments } from '../../src/application/document/use-cases.js';
import { makeExecute } from '../../src/application/execute.js';
import type { CommandContext } from '../../src/application/command-context.js';
import type { ObjectStorage } from '../../src/application/ports.js';
import { businessDecider } from '../../src/domain/business/decide.js';
import { businessSerde } from '../../src/domain/business/serde.js';
import { documentDecider } from '../../src/domain/document/decide.js';
import { documentSerde } from '../../src/domain/document/serde.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { makeHandleCommand } from '../../src/event-sourcing/command/handle-command.js';
import type { DomainEvent } from '../../src/event-sourcing/serde.js';
import type { StreamName } from '../../src/event-sourcing/recorded-event.js';
import type { Runtime } from '../../src/event-sourcing/runtime.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

/** Where it is always the same moment. */
const runtime: Runtime = {
  ...systemRuntime,
  clock: { ...systemRuntime.clock, date: () => new Date('2026-01-02T03:04:05.678Z') },
};

const deps = (store: EventStore) => ({
  store,
  runtime,
  limits: { maxPause: 1 },
});
const upToDate = { waitFor: () => Promise.resolve(true), heldMs: 0 };

/** What can be asked of businesses, over a store. */
export const businessUseCases = (store: EventStore) => {
  const execute = makeExecute(
    systemRuntime.clock,
    makeHandleCommand({ decider: businessDecider, serde: businessSerde, ...deps(store) }),
    upToDate,
  );
  return ofBusinesses(systemRuntime.random, execute);
};

/** What can be asked of documents, over a store. */
export const documentUseCases = (store: EventStore, storage: Pick<ObjectStorage, 'put' | 'remove' | 'heldPerPut'>) => {
  const execute = makeExecute(
    systemRuntime.clock,
    makeHandleCommand({ decider: documentDecider, serde: documentSerde, ...deps(store) }),
    upToDate,
  );
  return ofDocuments(systemRuntime.random, execute, { store, storage });
};

/** A request of alice's. */
export const from = (operation: string, over: Partial<CommandContext> = {}): CommandContext => ({
  actor: 'alice',
  correlationId: 'request-1',
  operation,
  ...over,
});

/** The facts of a stream, without their envelopes. */
export const factsIn = async (store: EventStore, stream: StreamName): Promise<ReadonlyArray<DomainEvent>> => {
  const facts: Array<DomainEvent> = [];
  for await (const page of store.readStream(stream, { direction: 'forwards' }))
    // reason: JSON.parse gives nothing but Json
    facts.push(...[...page].map(({ type, data }) => ({ type, data: JSON.parse(data) as DomainEvent['data'] })));
  return facts;
};
