import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { either as E, option as O } from 'fp-ts';
import { businessDecider } from '../../src/domain/business/decide.js';
import { businessSerde } from '../../src/domain/business/serde.js';
import { documentDecider } from '../../src/domain/document/decide.js';
import { documentSerde } from '../../src/domain/document/serde.js';
import type { ServicePorts } from '../../src/composition/service.js';
import { makeInMemoryEventStore } from './in-memory-event-store.js';
import { renderBusiness } from '../../src/read/business-view.js';
import { renderDocument } from '../../src/read/document-view.js';
import { diskStorage } from './disk-storage.js';
import { inMemoryQueries } from './in-memory-queries.js';

const fresh = { progress: { waitFor: () => Promise.resolve(true) }, freshness: { isBehind: () => false } };

/** Ports that keep the log in memory and files in a folder of their own; `close` removes the folder. */
export const memoryPorts = async (): Promise<{ readonly ports: ServicePorts; readonly close: () => Promise<void> }> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'stack-'));
  const store = makeInMemoryEventStore();
  const businesses = inMemoryQueries({
    store,
    category: 'business',
    serde: businessSerde,
    fold: businessDecider,
    render: (id, state) => (state._tag === 'Active' ? renderBusiness(id, state) : undefined),
  });
  const documents = inMemoryQueries({
    store,
    category: 'document',
    serde: documentSerde,
    fold: documentDecider,
    render: (id, state) => (state._tag === 'Current' ? renderDocument(id, state) : undefined),
  });
  const fileOf = async (id: string) => {
    const row = await documents.stateOf(id);
    return E.right(row?.state._tag === 'Current' ? O.some({ file: row.state.file, revision: row.revision }) : O.none);
  };
  const ports: ServicePorts = {
    store,
    storage: await diskStorage(folder),
    businesses: { queries: businesses, ...fresh },
    documents: { queries: { ...documents, fileOf }, ...fresh },
    now: () => new Date(),
  };
  return { ports, close: () => rm(folder, { recursive: true, force: true }) };
};
