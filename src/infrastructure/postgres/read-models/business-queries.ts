import { businesses } from '../../../../projections/businesses.js';
import type { BusinessQueries } from '../../../read/queries.js';
import { makeQueries, type ReadModelConnections } from './read-model-queries.js';

export const makeBusinessQueries = (connections: ReadModelConnections): BusinessQueries =>
  makeQueries(connections, businesses);
