import { either as E } from 'fp-ts';
import type { ReadModelQueries } from '../../../src/infrastructure/postgres/read-models/make-read-model-queries.js';
import { unavailable } from '../../../src/infrastructure/postgres/read-models/read-model.js';
import type { Failure, Way } from '../way.js';
import { failed } from './called.js';
import { ofPostgres } from './failures.js';
import { sealedTreeBy } from './seal.js';

/** How long commands wait for a row beside their stream, ms. */
const BRIEF = { patienceMs: 300 };

const left = (failure: Failure) => Promise.resolve(E.left(unavailable(ofPostgres(failure))));

/** The queries of a service, as a process reaches them. The driver never repeats one. */
export const queriesBy = (way: Way, queries: ReadModelQueries): ReadModelQueries => ({
  ...queries,
  of: (listed) => {
    const own = queries.of(listed);
    return {
      byId: (id, asNoted) => way.call('query row', () => own.byId(id, asNoted), left),
      page: (filter, page) => way.call('query page', () => own.page(filter, page), left),
      all: (filter, list) => way.call('query list', () => own.all(filter, list), left),
      hiddenState: (id, asNoted) => way.call('query row', () => own.hiddenState(id, asNoted), left),
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
      page: (request) => way.call('query ledger', () => own.page(request), left),
      rowsAfter: (index, limit) => way.call('query ledger', () => own.rowsAfter(index, limit), left),
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
  ping: () => way.call('ping', queries.ping, left),
});
