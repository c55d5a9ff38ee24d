import { expect } from 'chai';
import { either as E } from 'fp-ts';
import fc from 'fast-check';
import type { NewRow } from '../../projections/engine/ledger/ledger-rows.js';
import type { LedgerQueries } from '../../src/read/ledger.js';
import { startingPostgres } from '../support/postgres.js';
import { asked, COUNT, drawRows, isWanted } from './ledger-queries/drawn-rows.js';

type Made = { readonly queries: LedgerQueries; readonly close: () => Promise<unknown> };

/** What every adapter of the queries of the ledger must do; `make` keeps the rows that it is given. */
export const ledgerQueriesContract = (name: string, make: (rows: ReadonlyArray<NewRow>) => Promise<Made>): void => {
  describe(`the queries of the ledger, ${name}`, function () {
    this.timeout(startingPostgres);

    const rows = drawRows();
    let queries: LedgerQueries;
    let close: Made['close'];

    before(async () => {
      ({ queries, close } = await make(rows));
    });

    after(() => close());

    const page = async (request: Parameters<LedgerQueries['page']>[0]) => {
      const found = await queries.page(request);
      if (E.isLeft(found)) throw new Error('no page', { cause: found.left.cause });
      return found.right;
    };

    /** All entries, page after page. */
    const all = async (request: Omit<Parameters<LedgerQueries['page']>[0], 'after'>) => {
      const entries: Array<{ readonly index: bigint; readonly body: string }> = [];
      for (;;) {
        const { entries: next, isLast } = await page({ ...request, after: entries.at(-1)?.index });
        entries.push(...next);
        expect(next.length).to.be.at.most(request.limit);
        if (isLast) return entries;
        expect(next.length).to.be.greaterThan(0);
      }
    };

    it('give every event that a filter wants, once, in order, in pages of any size', async () => {
      await fc.assert(
        fc.asyncProperty(asked, async ({ filter, direction, limit }) => {
          const wanted = rows.filter((row) => isWanted(row, filter)).map(({ index, body }) => ({ index, body }));
          if (direction === 'backwards') wanted.reverse();
          // pages of one entry only at the beginning: each is a statement
          const shown = limit === 1 ? wanted.slice(0, 1) : wanted;
          const found =
            limit === 1
              ? (await page({ filter, direction, limit, after: undefined })).entries
              : await all({ filter, direction, limit });
          expect(found).to.deep.equal(shown);
        }),
        { numRuns: 400 },
      );
    });

    it('give what is earlier than the event before it by a little, up to a time that lies between the two', async () => {
      const isBehind = (row: NewRow, at: number): boolean =>
        !row.isLate && row.at !== null && at > 0 && new Date(row.at) < new Date(rows[at - 1]!.latest);
      const behind = rows.filter(isBehind).slice(0, 20);
      expect(behind).not.to.deep.equal([]);
      for (const { index } of behind) {
        const filter = { until: new Date(rows[Number(index) - 1]!.latest) };
        const wanted = rows.filter((row) => isWanted(row, filter)).map((row) => ({ index: row.index, body: row.body }));
        expect(wanted.map((row) => row.index)).to.include(index);
        expect(await all({ filter, direction: 'forwards', limit: 1_000 })).to.deep.equal(wanted);
      }
    });

    it('give rows behind any place, each of which knows the filters that want it', async () => {
      await fc.assert(
        fc.asyncProperty(asked, fc.bigInt(-1n, BigInt(COUNT)), async ({ filter, limit }, after) => {
          const found = await queries.rowsAfter(after, limit);
          if (E.isLeft(found)) throw new Error('no rows', { cause: found.left.cause });
          const behind = rows.filter(({ index }) => index > after);
          const shown = found.right.rows.map((row) => [row.index, row.body, row.isIn(filter)]);
          expect(shown).to.deep.equal(
            behind.slice(0, limit).map((row) => [row.index, row.body, isWanted(row, filter)]),
          );
          expect(found.right.isLast).to.equal(behind.length <= limit);
        }),
        { numRuns: 200 },
      );
    });

    it('give fewer events where they are larger than a size, but for the first', async () => {
      const sizes = async (size: number): Promise<number> =>
        (await page({ filter: {}, direction: 'forwards', limit: 100, after: undefined, size })).entries.length;
      const [first = 0, second = 0] = rows.map(({ body }) => Buffer.byteLength(body));
      expect([await sizes(1), await sizes(first + 1), await sizes(first + second + 1)]).to.deep.equal([1, 2, 3]);
    });

    it('begin behind any place', async () => {
      await fc.assert(
        fc.asyncProperty(asked, fc.bigInt(0n, BigInt(COUNT)), async ({ filter, direction, limit }, after) => {
          const wanted = rows.filter(
            (row) => isWanted(row, filter) && (direction === 'forwards' ? row.index > after : row.index < after),
          );
          if (direction === 'backwards') wanted.reverse();
          const { entries, isLast } = await page({ filter, direction, limit, after });
          expect(entries.map(({ index }) => index)).to.deep.equal(wanted.slice(0, limit).map(({ index }) => index));
          expect(isLast).to.equal(wanted.length <= limit);
        }),
        { numRuns: 200 },
      );
    });
  });
};
