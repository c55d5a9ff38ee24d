import { queriesContract } from '../contract/queries.contract.js';
import { memoryPorts } from './memory-ports.js';

queriesContract('in memory', async () => {
  const { ports, close } = await memoryPorts();
  return {
    store: ports.store,
    businesses: ports.businesses.queries,
    documents: ports.documents.queries,
    shown: () => Promise.resolve(),
    close,
  };
});
