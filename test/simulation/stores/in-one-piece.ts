import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { either as E } from 'fp-ts';
import type { ReadModelQueries } from '../../../src/infrastructure/postgres/read-models/make-read-model-queries.js';
import type { Page } from '../../../src/read/queries.js';

const readWhole = async <Failed>(opening: Promise<E.Either<Failed, Readable>>): Promise<E.Either<Failed, Readable>> => {
  const opened = await opening;
  if (E.isLeft(opened)) return opened;
  return E.right(Readable.from([await buffer(opened.right)], { objectMode: false }));
};

const pageOf = ({ records, next }: Page): Page => ({
  records: records instanceof Uint8Array ? records : { open: () => readWhole(records.open()) },
  next,
});

/** Lists that come in pieces are read when they are asked for, and given as one: how they are cut is no part of the answer. */
export const inOnePiece = (queries: ReadModelQueries): ReadModelQueries => ({
  ...queries,
  of: (listed) => {
    const own = queries.of(listed);
    return {
      ...own,
      page: async (...args) => E.map(pageOf)(await own.page(...args)),
      all: (...args) => readWhole(own.all(...args)),
    };
  },
});
