import type { ReadModelQueries } from '../../../src/infrastructure/postgres/read-models/make-read-model-queries.js';
import type { Way } from '../way.js';
import { failed, unreached } from './called.js';
import { sealedTreeBy } from './seal.js';

/** How long commands wait for a row beside their stream, ms. */
const BRIEF = { patienceMs: 300 };

/** The queries of a service, as a process reaches them. The driver never repeats one. */
export const queriesBy = (way: Way, queries: ReadModelQueries): ReadModelQueries => ({
  ...queries,
  of: (listed) => {
    const own = queries.of(listed);
    return {
      byId: (id, asNoted) => way.call('query row', () => own.byId(id, asNoted), unreached),
      page: (filter, page) => way.call('query page', () => own.page(filter, page), unreached),
      all: (filter, list) => way.call('query list', () => own.all(filter, list), unreached),
      count: (filter, order) => way.call('query count', () => own.count(filter, order), unreached),
      hiddenState: (id, asNoted) => way.call('query row', () => own.hiddenState(id, asNoted), unreached),
    };
  },
  findTrustedRow: (projection) => {
    const find = queries.findTrustedRow(projection);
    return (id) =>
      way.call(
        'query row',
        () => find(id),
        () => Promise.resolve(undefined),
        BRIEF,
      );
  },
  ofLedger: (ledger) => {
    const own = queries.ofLedger(ledger);
    return {
      page: (request) => way.call('query ledger', () => own.page(request), unreached),
      rowsAfter: (index, limit) => way.call('ledger tail', () => own.rowsAfter(index, limit), unreached),
    };
  },
  sealedTree: (ledger) => sealedTreeBy(way, queries.sealedTree(ledger)),
  ledgerExtent: (ledger) => {
    const find = queries.ledgerExtent(ledger);
    return () => way.call('ledger extent', find, failed);
  },
  liftedGuards: () => way.call('lifted guards', queries.liftedGuards, failed),
  findRevision: (projection) => {
    const find = queries.findRevision(projection);
    return (id) => way.call('query revision', () => find(id), failed, BRIEF);
  },
  lastBackup: (log) => way.call('last backup', () => queries.lastBackup(log), failed),
  ping: () => way.call('ping', queries.ping, unreached),
});
