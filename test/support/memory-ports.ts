import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeDecisions } from '../../src/event-sourcing/decisions.js';
import { noneSkipped } from '../../src/event-sourcing/passed-over.js';
import type { EntityPorts } from '../../src/entities/entity-definition.js';
import { type Registry, registry as theRegistry } from '../../src/entities/registry.js';
import { makeLinks } from '../../src/http/link/links.js';
import type { Route } from '../../src/http/route.js';
import { diskStorage } from './disk-storage.js';
import { inMemoryFeed } from './in-memory-ledger.js';
import { inMemoryQueries } from './in-memory-queries.js';
import { makeInMemoryEventStore } from './in-memory-event-store.js';
import { SECRET } from './tokens.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

type ReadModel = Pick<EntityPorts, 'queries' | 'findTrustedRow' | 'rows' | 'progress' | 'freshness'>;

/** What the kinds of a registry share, and the read model of each by the name of its projection. */
export type MemoryPorts = Pick<
  EntityPorts,
  | 'store'
  | 'storage'
  | 'onFileFault'
  | 'findSkipped'
  | 'decisions'
  | 'onLost'
  | 'eventKey'
  | 'feed'
  | 'links'
  | 'runtime'
> & {
  readonly readModels: Readonly<Record<string, ReadModel>>;
};

export type EntityOptions = Pick<EntityPorts, 'publicDocumentList' | 'maxUploadBytes'>;

/** Ports that keep the log in memory and files in a folder of their own; `close` removes the folder. Several may share a log. */
export const memoryPorts = async (
  registry: Registry = theRegistry,
  { runtime = systemRuntime, store = makeInMemoryEventStore() }: Partial<Pick<EntityPorts, 'runtime' | 'store'>> = {},
): Promise<{ readonly ports: MemoryPorts; readonly close: () => Promise<void> }> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'stack-'));
  const readModels = registry.entities.map(({ projection }) => [
    projection.name,
    {
      queries: inMemoryQueries(store, projection),
      findTrustedRow: () => Promise.resolve(undefined),
      rows: { revisionOf: () => Promise.resolve(undefined), onCut: () => undefined },
      progress: { waitFor: () => Promise.resolve(true), heldMs: 0 },
      freshness: {
        rows: () => 'Fresh',
        asked: () => Promise.resolve('Fresh'),
        showed: () => undefined,
        shownUntil: runtime.clock.date,
      },
    },
  ]);
  const ports: MemoryPorts = {
    store,
    storage: await diskStorage(folder),
    onFileFault: () => undefined,
    findSkipped: () => noneSkipped,
    readModels: Object.fromEntries(readModels) as MemoryPorts['readModels'],
    decisions: makeDecisions(),
    onLost: () => undefined,
    feed: inMemoryFeed(runtime.clock, store, registry),
    links: makeLinks(runtime.clock, `${SECRET} (of links)`),
    runtime,
  };
  return { ports, close: () => rm(folder, { recursive: true, force: true }) };
};

/** The ports of one kind of entity. */
export const portsOf = (
  { readModels, ...ports }: MemoryPorts,
  { projection }: { readonly projection: { readonly name: string } },
  options: EntityOptions = { publicDocumentList: false, maxUploadBytes: 1_000_000 },
): EntityPorts => ({ ...ports, ...readModels[projection.name]!, ...options });

/** The rows of the route table for every kind of a registry. */
export const routesOver = async (
  ports: MemoryPorts,
  options?: EntityOptions,
  { entities }: Registry = theRegistry,
): Promise<ReadonlyArray<Route>> =>
  (await Promise.all(entities.map((entity) => entity.serve(portsOf(ports, entity, options))))).flat();

/** Replaces parts of one read model. */
export const replacing =
  (name: string, replace: (readModel: ReadModel) => Partial<ReadModel>) =>
  ({ readModels }: MemoryPorts): Pick<MemoryPorts, 'readModels'> => {
    const readModel = readModels[name]!;
    return { readModels: { ...readModels, [name]: { ...readModel, ...replace(readModel) } } };
  };
