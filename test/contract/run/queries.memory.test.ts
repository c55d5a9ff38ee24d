import { businesses } from '../../../projections/businesses.js';
import { documentQueries, documents } from '../../../projections/documents.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { startMemoryEngine } from '../../support/memory-engine.js';
import { untilShown } from '../../support/until-shown.js';
import { queriesContract } from '../queries.contract.js';

queriesContract('rows in memory', () => {
  const { store, queries, projections, stop } = startMemoryEngine(systemRuntime);
  return Promise.resolve({
    store,
    businesses: queries.of(businesses),
    documents: documentQueries(queries.of(documents)),
    shown: (position) => Promise.all(projections.all.map(({ progress }) => untilShown(progress, position))),
    close: stop,
  });
});
