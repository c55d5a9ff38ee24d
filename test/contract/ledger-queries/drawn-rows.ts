import fc from 'fast-check';
import type { NewRow } from '../../../projections/engine/ledger/ledger-rows.js';
import { EMPTY, makeNumberRows } from '../../../projections/engine/ledger/number-rows.js';
import type { Json } from '../../../src/event-sourcing/canonical-json.js';
import type { LedgerFilter } from '../../../src/read/ledger.js';
import { wordsOf } from '../../../src/read/words.js';

/** Rows that are drawn. */
export const COUNT = 600;
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

/** What is asked for. */
export const asked = fc.record({
  filter: fc
    .record({
      user: optional(...users, 'nobody'),
      entityType: optional<string | Array<string>>(
        'Business',
        'Document',
        ['Document', 'Business'],
        ['Document', 'Decision'],
      ),
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

/** Whether a filter wants a row, by the definition. */
export const isWanted = (row: NewRow, filter: LedgerFilter): boolean => {
  const { user, entityType, entity, name, field, ref, reason, value, since, until } = filter;
  const { at } = row;
  const words = wordsOf([row.reason]);
  return (
    (user === undefined || row.actor === user) &&
    (entityType === undefined || [entityType].flat().includes(typeOf(row.category))) &&
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

/** Rows of a ledger, drawn by chance. */
export const drawRows = (): ReadonlyArray<NewRow> => {
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
  return number(EMPTY, events).rows;
};
