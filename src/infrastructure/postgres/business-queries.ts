import { businesses } from '../../../projections/businesses.js';
import type { BusinessQueries } from '../../read/queries.js';
import { makeQueries, type ReadModelPools } from './read-model-queries.js';

export const makeBusinessQueries = (pools: ReadModelPools): BusinessQueries => makeQueries(pools, businesses);
