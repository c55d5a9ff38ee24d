import { documentQueries } from '../../projections/documents.js';
import { queriesContract } from '../contract/queries.contract.js';
import { memoryPorts } from './memory-ports.js';

queriesContract('in memory', async () => {
  const { ports, close } = await memoryPorts();
  return {
    store: ports.store,
    businesses: ports.readModels['businesses']!.queries,
    documents: documentQueries(ports.readModels['documents']!.queries),
    shown: () => Promise.resolve(),
    close,
  };
});
