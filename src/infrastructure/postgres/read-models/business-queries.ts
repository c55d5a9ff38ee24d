import { businesses } from '../../../../projections/businesses.js';
import type { BusinessQueries } from '../../../read/queries.js';
import type { ReadModelConnections } from './read-model.js';
import { makeQueries } from './read-model-queries.js';

export const makeBusinessQueries = (connections: ReadModelConnections): BusinessQueries =>
  makeQueries(connections, businesses);
