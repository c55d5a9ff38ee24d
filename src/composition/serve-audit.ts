import type { Projections } from '../../projections/engine/run/start-projections.js';
import type { Config } from '../config.js';
import { makeFindChanges } from '../entities/find-changes.js';
import { ledgerOf, type Registry } from '../entities/registry.js';
import type { Clock } from '../event-sourcing/clock.js';
import type { EventStore } from '../event-sourcing/event-store.js';
import { auditRoutes, readsRoutes } from '../http/audit/routes.js';
import type { Links } from '../http/link/links.js';
import { tlogRoutes } from '../http/tlog/routes.js';
import type { Route } from '../http/route.js';
import type { ReadModelQueries } from '../infrastructure/postgres/read-models/make-read-model-queries.js';
import type { AccessQueries } from '../read/access/access-record.js';
import { makeCompleteLedger } from '../read/complete-ledger.js';
import type { FindChanges } from '../read/ledger-diffs.js';
import { type LedgerFeed, makeLedgerFeed } from '../read/ledger-feed.js';
import { makeLedgerTail } from '../read/ledger-tail.js';
import type { Ledger } from '../read/ledger.js';
import type { SealedTree } from '../read/sealed-tree.js';

type LedgerDeps = {
  readonly clock: Clock;
  readonly config: Pick<Config, 'isSealed'>;
  readonly registry: Registry;
  readonly store: EventStore;
  readonly queries: ReadModelQueries;
  readonly projections: Projections;
};

/** The events of all entities: to be searched, to be followed, and the tree over them, where checkpoints of it are signed. */
export type OpenLedger = {
  readonly ledger: Ledger;
  readonly feed: LedgerFeed;
  readonly tree: SealedTree | undefined;
  readonly findChanges: FindChanges;
};

export const openLedger = ({ clock, config, registry, store, queries, projections }: LedgerDeps): OpenLedger => {
  const definition = ledgerOf(registry);
  const { categories, progress } = projections.byName(definition.name);
  const rows = queries.ofLedger(definition);
  const ledger = makeCompleteLedger({ clock, store, categories, waitFor: progress.waitFor, queries: rows });
  const feed = makeLedgerFeed({ clock, ledger, tail: makeLedgerTail({ clock, queries: rows, progress }) });
  return {
    ledger,
    feed,
    findChanges: makeFindChanges(clock, registry, store),
    tree: config.isSealed ? queries.sealedTree(definition) : undefined,
  };
};

/** The rows of the route table for auditors, over the ledger and the record of reads. */
export const serveAudit = (
  { ledger, feed, findChanges, tree }: OpenLedger,
  reads: AccessQueries,
  links: Links | undefined,
): ReadonlyArray<Route> => [...auditRoutes(ledger, feed, findChanges, tree, links), ...readsRoutes(reads)];

/** Those of the transparency log, over the tree. */
export const serveTlog = ({ tree }: OpenLedger): ReadonlyArray<Route> => (tree === undefined ? [] : tlogRoutes(tree));
