import { cursorText, type Sort } from '../../../src/http/parameters/cursor.js';
import type { Load } from '../measure/load.js';
import type { Seeded } from './seed.js';

export type GrowthCase = Pick<Load, 'method' | 'paths' | 'connections' | 'sendsBusiness'> & {
  readonly name: string;
  /** Each path once, one after the other, because the first request of each is the one that counts. */
  readonly isCold?: boolean;
};

const BUSINESS = '/api/v1/business';
const DOCUMENT = '/api/v1/document';

type Filters = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Of each filter a frequent value and a rare one, by a name for the table. */
const businessFilters: Filters = {
  businessType: { frequent: 'corporation', rare: 'rare' },
  name: { rare: 'business 7' },
  parent: { of500: 'parent 3' },
  ein: { rare: '7-7' },
};

const documentFilters: Filters = {
  type: { frequent: 'Document', of10: 'Offer' },
  entityType: { frequent: 'Lead' },
  entity: { of50: 'entity 3' },
  uploadedBy: { frequent: 'alice', rare: 'bob' },
  tag: { all: 'all', of20: 'of-20-7', of100: 'of-100-7', rare: 'of-20000-7' },
};

const get = (name: string, connections: number, paths: ReadonlyArray<string>): GrowthCase => ({
  name,
  method: 'GET',
  connections,
  paths,
  sendsBusiness: false,
});

type Value = { readonly filter: string; readonly frequency: string; readonly value: string };

const valuesOf = (filters: Filters): ReadonlyArray<Value> =>
  Object.entries(filters).flatMap(([filter, values]) =>
    Object.entries(values).map(([frequency, value]) => ({ filter, frequency, value })),
  );

/** A page by each value, and by each pair of values of different filters. */
const filtered = (what: string, path: string, filters: Filters): ReadonlyArray<GrowthCase> => {
  const values = valuesOf(filters);
  const alone = values.map((value) => [value]);
  const pairs = values.flatMap((one, index) =>
    values.slice(index + 1).flatMap((other) => (one.filter === other.filter ? [] : [[one, other]])),
  );
  return [...alone, ...pairs].map((wanted) => {
    const parameters = new URLSearchParams(Object.fromEntries(wanted.map(({ filter, value }) => [filter, value])));
    const name = wanted.map(({ filter, frequency }) => `${filter} (${frequency})`).join(' + ');
    return get(`${what} by ${name}`, 16, [`${path}?limit=100&${parameters.toString()}`]);
  });
};

type Place = { readonly id: string; readonly key?: string };

/** A page of a hundred that is looked for by one client, so that its time is that of the page. */
const found = (path: string, query: Readonly<Record<string, string>>, place?: Place): GrowthCase => {
  // reason: an order is written as the API has it
  const after = place === undefined ? {} : { after: cursorText(query['sort'] as Sort | undefined, place) };
  const parameters = new URLSearchParams({ limit: '100', ...query, ...after }).toString();
  const name = `${path === BUSINESS ? 'businesses' : 'documents'}: ${new URLSearchParams(query).toString()}`;
  return get(place === undefined ? name : `${name}, from the middle`, 1, [`${path}?${parameters}`]);
};

/** Ten combinations of what finds and orders records, each of them asked for by somebody, and then the dearest ones. */
const finding = ({ plain, documents }: Seeded): ReadonlyArray<GrowthCase> => {
  const middle = plain.length >> 1;
  const place = { id: plain[middle]!, key: `business ${middle}` };
  const late = new Date(Date.UTC(2026, 0, 1) + (plain.length - 1_000) * 1_000).toISOString();
  return [
    found(BUSINESS, { q: 'brew spring' }),
    found(BUSINESS, { q: String(middle) }),
    found(BUSINESS, { q: 'brewery', sort: 'name' }),
    found(BUSINESS, { q: 'foun', businessType: 'rare' }),
    found(BUSINESS, { sort: '-name' }, place),
    found(BUSINESS, { sort: 'name', businessType: 'llc' }, place),
    found(BUSINESS, { owner: 'owner 7', sort: '-created' }),
    found(BUSINESS, { createdSince: late, sort: 'name' }),
    found(BUSINESS, { updatedSince: late, sort: '-created' }),
    found(DOCUMENT, { q: 'of 100 7', type: 'Offer', sort: '-created' }, { id: documents[middle]! }),
    ...[
      found(BUSINESS, { q: 'foundry' }),
      found(BUSINESS, { q: 'foundry', sort: 'name' }),
      found(BUSINESS, { q: `business ${middle}` }),
      found(BUSINESS, { q: 'bakery', updatedSince: late }),
    ].map((each) => ({ ...each, name: `dear ${each.name}` })),
  ];
};

const some = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => {
  const step = Math.max(1, Math.floor(values.length / 5_000));
  return values.filter((_, index) => index % step === 0);
};

const updating = (name: string, ids: ReadonlyArray<string>, isCold: boolean): GrowthCase => ({
  name,
  method: 'PUT',
  connections: isCold ? 1 : 64,
  paths: ids.map((id) => `${BUSINESS}/${id}`),
  sendsBusiness: true,
  isCold,
});

const others = ({ plain, ten, long, documents }: Seeded): ReadonlyArray<GrowthCase> => [
  get('GET by id', 64, some(plain.map((id) => `${BUSINESS}/${id}`))),
  get('page, first', 16, [`${BUSINESS}?limit=100`]),
  get('page, from the middle', 16, [`${BUSINESS}?limit=100&after=${plain[plain.length >> 1]!}`]),
  get('page of documents from the middle, by a frequent tag', 16, [
    `${DOCUMENT}?limit=100&tag=all&after=${documents[documents.length >> 1]!}`,
  ]),
  ...filtered('businesses', BUSINESS, businessFilters),
  ...filtered('documents', DOCUMENT, documentFilters),
  updating('update of a cold stream of 10', ten, true),
  updating('update of a cold stream of 10,000', long, true),
  updating('update of a random one', some(plain), false),
];

/** What reads comes first, so that it reads the same in every run. */
export const casesOf = (seeded: Seeded): ReadonlyArray<GrowthCase> => [...finding(seeded), ...others(seeded)];
