import { registry } from '../../src/entities/registry.js';
import { auditRoutes, readsRoutes } from '../../src/http/audit/routes.js';
import { makeLinks } from '../../src/http/link/links.js';
import type { Route } from '../../src/http/route.js';
import { tlogRoutes } from '../../src/http/tlog/routes.js';
import { inMemoryFeed, noChanges, queriesOver } from './in-memory-ledger.js';
import { makeInMemoryEventStore } from './in-memory-event-store.js';
import { InMemorySealedTree } from './in-memory-sealed-tree.js';
import { makeMemoryAccessRecord } from './memory-access-record.js';
import { SECRET } from './tokens.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

/** The rows for auditors and of the transparency log, over nothing: to be described. */
export const auditTable = (): ReadonlyArray<Route> => {
  const { page } = queriesOver(() => Promise.resolve([]));
  const tree = new InMemorySealedTree();
  const feed = inMemoryFeed(systemRuntime.clock, makeInMemoryEventStore(), registry);
  return [
    ...auditRoutes(
      { page, nextPage: page },
      feed,
      noChanges,
      tree,
      makeLinks(systemRuntime.clock, `${SECRET} (of links)`),
    ),
    ...readsRoutes(makeMemoryAccessRecord()),
    ...tlogRoutes(tree),
  ];
};
