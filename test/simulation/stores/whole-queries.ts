import { either as E, option as O } from 'fp-ts';
import type { ReadModelQueries } from '../../../src/infrastructure/postgres/read-models/make-read-model-queries.js';
import type { Page, View } from '../../../src/read/queries.js';
import { queriesBy } from '../ports/queries.js';
import { type Whole, wayOf } from './whole.js';

const pageOf =
  (whole: Whole) =>
  ({ records, next }: Page): Page => ({
    records: records instanceof Uint8Array ? records : { open: () => whole(records.open) },
    next,
  });

const viewOf =
  (whole: Whole) =>
  ({ body, ...view }: View): View => ({
    ...view,
    body: body instanceof Uint8Array ? body : { read: () => whole(body.read) },
  });

/** Queries each call of which is whole. What an answer reads later is a call of its own. */
export const wholeQueries = (whole: Whole, queries: ReadModelQueries): ReadModelQueries =>
  queriesBy(wayOf(whole), {
    ...queries,
    of: (listed) => {
      const own = queries.of(listed);
      const views = O.map(viewOf(whole));
      return {
        ...own,
        byId: async (...args) => {
          const found = await own.byId(...args);
          if (E.isRight(found)) return E.right(views(found.right));
          const { left } = found;
          return E.left(left._tag === 'RowParked' ? { ...left, row: views(left.row) } : left);
        },
        page: async (...args) => E.map(pageOf(whole))(await own.page(...args)),
      };
    },
    close: () => Promise.resolve(),
  });
