import type { Projections } from '../../projections/engine/run/start-projections.js';
import { ledgerOf, type Registry } from '../entities/registry.js';
import type { EventStore } from '../event-sourcing/event-store.js';
import type { Route } from '../http/route.js';
import type { ReadModelQueries } from '../infrastructure/postgres/read-models/make-read-model-queries.js';
import { makeCompleteLedger } from '../read/complete-ledger.js';
import { type LedgerFeed, makeLedgerFeed } from '../read/ledger-feed.js';
import { makeLedgerTail } from '../read/ledger-tail.js';
import type { Ledger } from '../read/ledger.js';

type LedgerDeps = {
  readonly registry: Registry;
  readonly store: EventStore;
  readonly queries: ReadModelQueries;
  readonly projections: Projections;
};

/** The events of all entities: to be searched, and to be followed. */
export type OpenLedger = { readonly ledger: Ledger; readonly feed: LedgerFeed };

export const openLedger = ({ registry, store, queries, projections }: LedgerDeps): OpenLedger => {
  const definition = ledgerOf(registry);
  const { categories, progress } = projections.byName(definition.name);
  const rows = queries.ofLedger(definition);
  const ledger = makeCompleteLedger({ store, categories, waitFor: progress.waitFor, queries: rows });
  return { ledger, feed: makeLedgerFeed({ ledger, tail: makeLedgerTail({ queries: rows, progress }) }) };
};

/** The rows of the route table for auditors, over the ledger. */
export const serveAudit = ({ ledger, feed }: OpenLedger): Promise<ReadonlyArray<Route>> =>
  import('../http/audit/routes.js').then(({ auditRoutes }) => auditRoutes(ledger, feed));
