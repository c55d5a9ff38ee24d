import type { Ledger } from './ledger.js';
import type { Projection } from './projection.js';

/** What the engine keeps rows of: one for each entity, or one for each event. */
export type ReadModel = Projection | Ledger;

/** The categories of the streams that its rows are made from. */
export const categoriesOf = (model: ReadModel): ReadonlyArray<string> =>
  model.rowFor === 'entity' ? [model.category] : model.kinds.map(({ category }) => category);
