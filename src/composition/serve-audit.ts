import type { Projections } from '../../projections/engine/run/start-projections.js';
import { ledgerOf, type Registry } from '../entities/registry.js';
import type { EventStore } from '../event-sourcing/event-store.js';
import type { Route } from '../http/route.js';
import type { ReadModelQueries } from '../infrastructure/postgres/read-models/make-read-model-queries.js';
import { makeCompleteLedger } from '../read/complete-ledger.js';

type AuditDeps = {
  readonly registry: Registry;
  readonly store: EventStore;
  readonly queries: ReadModelQueries;
  readonly projections: Projections;
};

/** The rows of the route table for auditors, over the ledger. */
export const serveAudit = ({ registry, store, queries, projections }: AuditDeps): Promise<ReadonlyArray<Route>> => {
  const ledger = ledgerOf(registry);
  const { categories, progress } = projections.byName(ledger.name);
  const complete = makeCompleteLedger({
    ...{ store, categories, waitFor: progress.waitFor },
    queries: queries.ofLedger(ledger),
  });
  return import('../http/audit/routes.js').then(({ auditRoutes }) => auditRoutes(complete));
};
