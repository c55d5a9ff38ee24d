import { expect } from 'chai';
import { either as E } from 'fp-ts';
import fc from 'fast-check';
import type pg from 'pg';
import { createLedgerIndexes, createLedgerTable } from '../../../projections/engine/postgres/schema/ledger-table.js';
import type { NewRow } from '../../../projections/engine/ledger/ledger-rows.js';
import { insertLedgerRows, ledgerArrays } from '../../../projections/engine/postgres/rows/ledger-arrays.js';
import { EMPTY, makeNumberRows } from '../../../projections/engine/ledger/number-rows.js';
import { ledgerOf, registry } from '../../../src/entities/registry.js';
import { makeLedgerQueries } from '../../../src/infrastructure/postgres/read-models/ledger-queries.js';
import { planByValues } from '../../../src/postgres/index-plans.js';
import { makePool } from '../../../src/postgres/pool.js';
import type { Json } from '../../../src/event-sourcing/canonical-json.js';
import type { LedgerFilter, LedgerQueries } from '../../../src/read/ledger.js';
import { wordsOf } from '../../../src/read/words.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';

const COUNT = 600;
const START = Date.parse('2026-01-02T03:04:05.678Z');

const long = (value: string): string => value.repeat(300);

/** Few of each, so that filters meet; some are longer than what an index holds of them, and differ only behind that. */
const users = ['ann', 'bob', long('z'), `${long('z')}!`];
const entities = ['b1', 'b2', 'd1', long('e')];
const fieldSets = [['name'], ['name', 'phone'], ['phone'], [], ['owners'], [long('f')], [`${long('f')}!`]];
const refs = ['r1', 'r2', 'r3', '{"x"}', long('𝒫'), `${long('𝒫')}"`];
const names = {
  business: ['BusinessCreated', 'BusinessUpdated'],
  document: ['DocumentCreated', 'BusinessUpdated', long('N')],
};

/** Of which words are had by few and by many. */
const reasons = [
  null,
  'Typo',
  'typo in the name',
  'yearly review; Straße, ÉTÉ',
  `x${'y'.repeat(100)}`,
  '审计 名称',
  '!',
];
const wanted = ['typo', 'THE typo', 'name in', 'strasse', 'été yearly', 'review other', `X${'y'.repeat(100)}z`, '名称'];

/** What data has, at some depth; as names of members, within other texts, in reasons, they are no values. */
const values = ['v', 'v"', ',', 'name', '7', '-1.5', 'true', 'null', 'typo', '\\', 'w\u2028'];
const data: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(...values, 7, 77, -1.5, true, null, 'a","b', 'vv', [], {}),
  fc.constantFrom<Json>({ v: 'x' }, { a: [{ b: 'v' }] }, [[['v"']]], ['a,', ',b'], { a: { 7: 'x' } }, { k: 'true ' }),
);

type Made = Pick<NewRow, 'category' | 'entity' | 'name' | 'actor' | 'fields' | 'refs' | 'reason'> & {
  readonly at: string | null;
  readonly data: Json;
};

const made: fc.Arbitrary<Made> = fc.constantFrom('business' as const, 'document' as const).chain((category) =>
  fc.record({
    category: fc.constant(category),
    entity: fc.constantFrom(...entities),
    name: fc.constantFrom(...names[category]),
    actor: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...users) }, { weight: 1, arbitrary: fc.constant(null) }),
    fields: fc.constantFrom(...fieldSets),
    reason: fc.constantFrom(...reasons),
    data,
    refs: fc.array(fc.constantFrom(...refs), { maxLength: 4 }),
    // mostly now, now and then a little late, also by more than what lies between two events, or much too late
    at: fc
      .constantFrom(0, 0, 0, -400, -900, -3_000, -90_000, null)
      .map((late) => (late === null ? null : String(late))),
  }),
);

const optional = <A>(...values: ReadonlyArray<A>): fc.Arbitrary<A | undefined> =>
  fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });

const time = fc.option(
  fc.integer({ min: -100, max: COUNT + 100 }).map((seconds) => new Date(START + seconds * 500)),
  { nil: undefined, freq: 2 },
);

const asked = fc.record({
  filter: fc
    .record({
      user: optional(...users, 'nobody'),
      entityType: optional('Business', 'Document'),
      entity: optional(...entities),
      name: optional(...names.business, ...names.document),
      field: optional('name', 'phone', 'owners', 'other', long('f'), `${long('f')}!`),
      ref: optional(...refs),
      reason: optional(...wanted.map((text) => [...wordsOf([text])])),
      value: fc.option(fc.constantFrom(...values, 'b', 'x', ''), { nil: undefined, freq: 4 }),
      since: time,
      until: time,
    })
    // reason: members that are undefined are left out
    .map((filter) => JSON.parse(JSON.stringify(filter)) as Record<string, string> & { reason?: Array<string> })
    .map(({ since, until, ...others }): LedgerFilter => ({
      ...others,
      ...(since === undefined ? {} : { since: new Date(since) }),
      ...(until === undefined ? {} : { until: new Date(until) }),
    })),
  direction: fc.constantFrom('forwards' as const, 'backwards' as const),
  limit: fc.constantFrom(1, 7, 100, 1_000),
});

const typeOf = (category: string): string => (category === 'business' ? 'Business' : 'Document');

/** The values of data as texts, by the definition. */
const valuesIn = (json: Json | undefined): ReadonlyArray<string> => {
  if (typeof json === 'string') return [json];
  if (json === null || json === undefined) return [];
  if (typeof json !== 'object') return [String(json)];
  return Object.values(json).flatMap((member: Json | undefined) => valuesIn(member));
};

const isWanted = (row: NewRow, filter: LedgerFilter): boolean => {
  const { user, entityType, entity, name, field, ref, reason, value, since, until } = filter;
  const { at } = row;
  const words = wordsOf([row.reason]);
  return (
    (user === undefined || row.actor === user) &&
    (entityType === undefined || typeOf(row.category) === entityType) &&
    (entity === undefined || row.entity === entity) &&
    (name === undefined || row.name === name) &&
    (field === undefined || row.fields.includes(field)) &&
    (ref === undefined || row.refs.includes(ref)) &&
    (reason === undefined || reason.every((word) => words.has(word))) &&
    (value === undefined || valuesIn((JSON.parse(row.body) as { data: Json }).data).includes(value)) &&
    (since === undefined || (at !== null && new Date(at) >= since)) &&
    (until === undefined || (at !== null && new Date(at) < until))
  );
};

describe('the queries of the ledger', function () {
  this.timeout(startingPostgres);

  let pool: pg.Pool;
  let queries: LedgerQueries;
  let rows: ReadonlyArray<NewRow>;

  before(async () => {
    const connectionString = await freshDatabase();
    pool = makePool({ connectionString, name: 'test', connections: 3, connectMs: 30_000, prepare: planByValues });
    await pool.query('create schema read_model');
    await pool.query(createLedgerTable('read_model.ledger'));
    for (const statement of createLedgerIndexes('read_model.ledger', 'ledger')) await pool.query(statement);
    const drawn = fc.sample(made, COUNT);
    const number = makeNumberRows({
      rowFor: 'event',
      name: 'ledger',
      kinds: ['business', 'document'].map((category) => ({
        category,
        entityType: typeOf(category),
        version: '',
        hasRow: () => true,
        recordOf: ({ position, revision }) => {
          const { category: _category, at, data: shownData, ...record } = drawn[Number(position)]!;
          const shown = at === null ? null : new Date(START + Number(position) * 500 + Number(at)).toISOString();
          const { fields, refs: named, reason } = record;
          const shownRefs = named.map((entity) => ({ entity }));
          const body = JSON.stringify({ n: Number(position), fields, refs: shownRefs, data: shownData, reason });
          return { ...record, revision, hash: null, at: shown, body };
        },
      })),
    });
    const events = drawn.map(({ category }, n) => ({
      ...{ id: '', type: '', data: '', metadata: '', revision: 0n },
      ...{ stream: `${category}-x` as const, position: BigInt(n) },
    }));
    ({ rows } = number(EMPTY, events));
    await pool.query(insertLedgerRows('read_model.ledger', 1, '(select) source'), ledgerArrays(rows));
    await pool.query('analyze read_model.ledger');
    queries = makeLedgerQueries(pool, ledgerOf(registry));
  });

  after(() => pool.end());

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
        expect(shown).to.deep.equal(behind.slice(0, limit).map((row) => [row.index, row.body, isWanted(row, filter)]));
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
