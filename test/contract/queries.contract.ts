import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { either as E, option as O } from 'fp-ts';
import type { Json } from '../../src/event-sourcing/canonical-json.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { Position } from '../../src/event-sourcing/recorded-event.js';
import {
  type BusinessFilter,
  type BusinessQueries,
  type Cursor,
  type DocumentFilter,
  type DocumentQueries,
  IN_CREATION_ORDER,
  type Order,
  type Page,
  type Queries,
  type RecordFilter,
} from '../../src/read/queries.js';
import { append, AT, created, deleted, renamed } from '../projections/appending.js';
import { recordsOf, textsIn } from '../support/records-of.js';

/** Queries over the log of `store`, which is new. */
type QueriesForContract = {
  readonly store: EventStore;
  readonly businesses: BusinessQueries;
  readonly documents: DocumentQueries;
  /** Settles when the queries show everything up to a position. */
  readonly shown: (position: Position) => Promise<unknown>;
  readonly close: () => Promise<unknown>;
};

const HOSTILE = [
  "'",
  "''; drop schema read_model cascade; --",
  '\\',
  "\\'",
  '"',
  '{a,b}',
  '%',
  '$1',
  'NULL',
  '🏢 \u200b é',
];

/** Values of two filters: that of `entity` is any text. */
const HALVES = ['Lead', 'Document'] as const;

const NONE: Page = { records: Buffer.from('[]'), next: undefined };

type Asked<Filter> = Filter & RecordFilter;

const order = IN_CREATION_ORDER;

const unknownCursor = E.left({ _tag: 'UnknownCursor' });

const text = (fields: Readonly<Record<string, Json>>): string => JSON.stringify(fields);

const businessBody = (
  _id: string,
  over: Readonly<Record<string, Json>>,
  lifecycle: Readonly<Record<string, Json>> = { createdAt: AT, updatedAt: AT, revision: 0 },
): string =>
  text({
    _id,
    businessType: null,
    name: null,
    dba: null,
    displayname: null,
    email: null,
    phone: null,
    website: null,
    netWorth: null,
    revenue: null,
    ein: null,
    parent: null,
    line1: null,
    line2: null,
    city: null,
    state: null,
    zip: null,
    country: null,
    owners: [],
    ...over,
    ...lifecycle,
  });

const document = (fields: Readonly<Record<string, Json>>) => ({
  type: 'DocumentCreated',
  data: {
    name: 'Plan',
    description: null,
    tags: [],
    type: 'Document',
    entityType: 'Document',
    entity: null,
    file: null,
    ...fields,
  },
});

/** One that no other record has. */
const aWord = (): string => `w${randomUUID().replaceAll('-', '')}`;

const namesOf = (page: Page): ReadonlyArray<string> =>
  recordsOf(page).map((body) => (JSON.parse(body) as { name: string }).name);

const file = { key: 'a/b', size: 3, sha256: 'abc', mimeType: 'text/plain', originalName: 'a.txt' };

const idsOf = (bodies: ReadonlyArray<string>): ReadonlyArray<string> =>
  bodies.map((body) => (JSON.parse(body) as { _id: string })._id);

const pageOf = async <Filter>(
  queries: Queries<Filter>,
  filter: Asked<Filter>,
  after?: string | Cursor,
  limit = 100,
): Promise<Page> => {
  const page = await queries.page(filter, { order, after: typeof after === 'string' ? { id: after } : after, limit });
  if (E.isLeft(page)) throw new Error('no page', { cause: page.left });
  return page.right;
};

/** Checks that a list says how many records it has. */
const counted = async <Filter>(queries: Queries<Filter>, filter: Asked<Filter>, by: Order, records: number) => {
  expect(await queries.count(filter, by), JSON.stringify([filter, by])).to.deep.equal(E.right(records));
};

/** The whole list as its bytes say it; also checks that they are one JSON array, and that they are counted. */
const listOf = async <Filter>(
  queries: Queries<Filter>,
  filter: Asked<Filter>,
  after?: string,
): Promise<ReadonlyArray<unknown>> => {
  const list = await queries.all(filter, { order, ...(after === undefined ? {} : { after: { id: after } }) });
  if (E.isLeft(list)) throw new Error('no list', { cause: list.left });
  const records = JSON.parse((await buffer(list.right)).toString('utf8')) as ReadonlyArray<unknown>;
  if (after === undefined) await counted(queries, filter, order, records.length);
  return records;
};

/** The ids of all records by pages, which are those of the whole list, and counted. */
const allOf = async <Filter>(
  queries: Queries<Filter>,
  filter: Asked<Filter>,
  by: Order,
  limit: number,
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = [];
  let after: Cursor | undefined;
  do {
    const page = await queries.page(filter, { order: by, after, limit });
    if (E.isLeft(page)) throw new Error('no page', { cause: page.left });
    found.push(...idsOf(recordsOf(page.right)));
    after = page.right.next;
  } while (after !== undefined);
  const list = await queries.all(filter, { order: by });
  if (E.isLeft(list)) throw new Error('no list', { cause: list.left });
  expect(idsOf(textsIn(await buffer(list.right)))).to.deep.equal(found);
  await counted(queries, filter, by, found.length);
  return found;
};

/** The JSON texts of a page, held or streamed. */
const largeRecordsOf = async ({ records }: Page): Promise<ReadonlyArray<string>> => {
  if (Buffer.isBuffer(records)) return textsIn(records);
  const opened = await records.open();
  if (E.isLeft(opened)) throw new Error('no page', { cause: opened.left });
  return textsIn(await buffer(opened.right));
};

/** A record by its id, held or read by itself. */
const recordOf = async ({ byId }: Pick<BusinessQueries, 'byId'>, id: string) => {
  const view = await byId(id);
  if (E.isLeft(view) || O.isNone(view.right)) throw new Error('no record');
  const { revision, body } = view.right.value;
  if (Buffer.isBuffer(body)) return { revision, body: body.toString('utf8') };
  const large = await body.read();
  if (E.isLeft(large) || O.isNone(large.right)) throw new Error('no large record');
  return { revision: large.right.value.revision, body: large.right.value.bytes.toString('utf8') };
};

/** What every adapter of the query ports must do, over every field of every answer. */
export const queriesContract = (name: string, make: () => Promise<QueriesForContract>): void => {
  describe(`queries: ${name}`, function () {
    this.timeout(180_000);
    let made: QueriesForContract;
    before(async () => {
      made = await make();
    });
    after(() => made.close());

    const business = async (...facts: ReadonlyArray<Parameters<typeof append>[3]>): Promise<string> => {
      const id = randomUUID();
      await made.shown(await append(made.store, `business-${id}`, 0n, ...facts));
      return id;
    };
    const aDocument = async (fields: Readonly<Record<string, Json>>): Promise<string> => {
      const id = randomUUID();
      await made.shown(await append(made.store, `document-${id}`, 0n, document(fields)));
      return id;
    };

    it('give a record by its id, with its revision and its JSON text', async () => {
      const id = await business(created('Acme', { ein: '1', netWorth: 1.5 }), renamed('Acme "&" Co\n'));
      const lifecycle = { createdAt: AT, updatedAt: AT, revision: 1 };
      const body = businessBody(id, { name: 'Acme "&" Co\n', ein: '1', netWorth: 1.5 }, lifecycle);
      expect(await made.businesses.byId(id)).to.deep.equal(
        E.right(O.some({ id, revision: 1n, body: Buffer.from(body) })),
      );
    });

    it('give the same record to all who ask at once', async () => {
      const ids = [await business(created('One')), await business(created('Two')), randomUUID()];
      const asked = Array.from({ length: 60 }, (_, i) => ids[i % 3]!);
      const found = await Promise.all(asked.map((id) => made.businesses.byId(id)));
      const seen = found.map((view) => (E.isRight(view) && O.isSome(view.right) ? view.right.value.id : undefined));
      expect(seen).to.deep.equal(asked.map((id) => (id === ids[2] ? undefined : id)));
    });

    it('know nothing of ids that never were, whatever they look like', async () => {
      const existing = await business(created('Acme'));
      for (const id of [randomUUID(), existing.toUpperCase(), '', 'x', ...HOSTILE, `${existing} `])
        expect(await made.businesses.byId(id), id).to.deep.equal(E.right(O.none));
    });

    it('do not give a deleted record, whose id stays valid as a cursor', async () => {
      const ein = randomUUID();
      const first = await business(created('First', { ein }));
      const gone = await business(created('Gone', { ein }), deleted);
      const last = await business(created('Last', { ein }));
      expect(await made.businesses.byId(gone)).to.deep.equal(E.right(O.none));
      expect(idsOf(recordsOf(await pageOf(made.businesses, { ein })))).to.deep.equal([first, last]);
      expect(idsOf(recordsOf(await pageOf(made.businesses, { ein }, gone)))).to.deep.equal([last]);
      expect(await listOf(made.businesses, { ein }, gone)).to.have.length(1);
    });

    it('page through all records in creation order, each once', async () => {
      const ein = randomUUID();
      const ids: Array<string> = [];
      for (let i = 0; i < 7; i++) ids.push(await business(created(`No ${i}`, { ein })));
      await made.shown(await append(made.store, `business-${ids[2]!}`, 1n, renamed('Later')));
      const first = await pageOf(made.businesses, { ein }, undefined, 3);
      const second = await pageOf(made.businesses, { ein }, first.next, 3);
      const third = await pageOf(made.businesses, { ein }, second.next, 3);
      expect([first, second, third].map((page) => idsOf(recordsOf(page)))).to.deep.equal([
        ids.slice(0, 3),
        ids.slice(3, 6),
        ids.slice(6),
      ]);
      expect([first, second, third].map(({ next }) => next?.id)).to.deep.equal([ids[2], ids[5], undefined]);
      expect(await pageOf(made.businesses, { ein }, ids[6])).to.deep.equal(NONE);
      expect((await pageOf(made.businesses, { ein }, ids[3], 3)).next).to.equal(undefined);
    });

    it('give a page as one JSON array of the very texts that the records have by their ids', async () => {
      const ein = randomUUID();
      const ids: Array<string> = [];
      for (const name of ['One "1"', 'Zwei ü', '三', '🏢']) ids.push(await business(created(name, { ein })));
      const bodies = [];
      for (const id of ids) bodies.push((await recordOf(made.businesses, id)).body);
      for (const limit of [1, 3, 4, 5, 1_000]) {
        const { records } = await pageOf(made.businesses, { ein }, undefined, limit);
        expect(Buffer.isBuffer(records) && records.toString(), `limit ${limit}`).to.equal(
          `[${bodies.slice(0, limit).join(',')}]`,
        );
      }
    });

    it('hold a page with some large records, and stream it when they are too many', async () => {
      const ein = randomUUID();
      const ids: Array<string> = [];
      for (let i = 0; i < 9; i++)
        ids.push(await business(created(`No ${i}`, { ein, line1: 'x'.repeat(i % 3 === 0 ? 50_000 : 10) })));
      const held = await pageOf(made.businesses, { ein }, undefined, 100);
      expect(idsOf(recordsOf(held))).to.deep.equal(ids);
      for (let i = 0; i < 3; i++) ids.push(await business(created('More', { ein, line1: 'x'.repeat(50_000) })));
      for (const limit of [100, 1_000])
        expect(idsOf(await largeRecordsOf(await pageOf(made.businesses, { ein }, undefined, limit)))).to.deep.equal(
          ids,
        );
    });

    it('page through large records as through small ones, and give each by its id', async () => {
      const ein = randomUUID();
      const line1 = 'ü'.repeat(50_000);
      const ids: Array<string> = [];
      for (let i = 0; i < 7; i++) ids.push(await business(created(`No ${i}`, { ein, line1 })));
      const read = async (after?: string) => {
        const page = await pageOf(made.businesses, { ein }, after, 3);
        return { ids: idsOf(await largeRecordsOf(page)), next: page.next?.id };
      };
      expect([await read(), await read(ids[2]), await read(ids[5])]).to.deep.equal([
        { ids: ids.slice(0, 3), next: ids[2] },
        { ids: ids.slice(3, 6), next: ids[5] },
        { ids: ids.slice(6), next: undefined },
      ]);
      const body = businessBody(ids[4]!, { name: 'No 4', ein, line1 });
      expect(await recordOf(made.businesses, ids[4]!)).to.deep.equal({ revision: 0n, body });
    });

    it('refuse a cursor that was never an id, also among names', async () => {
      await business(created(randomUUID()));
      const after = { id: randomUUID(), key: '' };
      for (const filter of [{}, { businessType: 'x' }]) {
        const byName = { order: { by: 'name', isDescending: false }, after, limit: 1 } as const;
        expect(await made.businesses.page(filter, byName)).to.deep.equal(unknownCursor);
        expect(await made.businesses.all(filter, byName)).to.deep.equal(unknownCursor);
      }
    });

    it('refuse a cursor that was never an id', async () => {
      for (const after of [randomUUID(), '', 'x', ...HOSTILE]) {
        expect(await made.businesses.page({}, { order, after: { id: after }, limit: 1 }), after).to.deep.equal(
          unknownCursor,
        );
        expect(await made.businesses.page({ ein: '' }, { order, after: { id: after }, limit: 1 }), after).to.deep.equal(
          unknownCursor,
        );
        expect(await made.businesses.all({}, { order, after: { id: after } }), after).to.deep.equal(unknownCursor);
      }
    });

    it('list all records as one JSON array, whatever is in them', async () => {
      const ein = randomUUID();
      const names = ['', 'x'.repeat(70_000), ...HOSTILE, 'ends with [', ']', ','];
      const ids: Array<string> = [];
      for (const name of names) ids.push(await business(created(name, { ein })));
      expect(await listOf(made.businesses, { ein })).to.deep.equal(
        ids.map((id, i) => JSON.parse(businessBody(id, { name: names[i]!, ein })) as unknown),
      );
      expect(await listOf(made.businesses, { ein }, ids.at(-2))).to.have.length(1);
      expect(await listOf(made.businesses, { ein }, ids.at(-1))).to.deep.equal([]);
      expect(await listOf(made.businesses, { ein: randomUUID() })).to.deep.equal([]);
    });

    it('match every filter of businesses exactly, and all of them together', async () => {
      for (const value of HOSTILE) {
        const unique = `${value}${randomUUID()}`;
        const fields = { businessType: unique, parent: unique, ein: unique };
        const id = await business(created(unique, fields));
        await business(
          created(`${unique} `, { businessType: `${unique}x`, parent: `x${unique}`, ein: unique.slice(1) }),
        );
        const filters = [{ name: unique }, { businessType: unique }, { parent: unique }, { ein: unique }];
        for (const filter of [...filters, { name: unique, ...fields }]) {
          expect(idsOf(recordsOf(await pageOf(made.businesses, filter))), text(filter)).to.deep.equal([id]);
          expect(await listOf(made.businesses, filter), text(filter)).to.have.length(1);
        }
        expect(await pageOf(made.businesses, { name: unique, ein: 'another' })).to.deep.equal(NONE);
      }
    });

    it('match filters as records are now', async () => {
      const [before, after] = [randomUUID(), randomUUID()];
      const id = await business(created(before), renamed(after));
      expect(await listOf(made.businesses, { name: before })).to.deep.equal([]);
      expect(idsOf(recordsOf(await pageOf(made.businesses, { name: after })))).to.deep.equal([id]);
    });

    it('match every filter of documents exactly', async () => {
      for (const value of HOSTILE) {
        const unique = `${value}${randomUUID()}`;
        const id = await aDocument({ entity: unique, tags: ['other', unique], type: 'Offer', entityType: 'Lead' });
        await aDocument({ entity: `${unique}x`, tags: [`${unique}x`, 'other'], type: 'Offer', entityType: 'Lead' });
        const both = { entity: unique, tag: unique, type: 'Offer', entityType: 'Lead' };
        for (const filter of [{ entity: unique }, { tag: unique }, both]) {
          expect(idsOf(recordsOf(await pageOf(made.documents, filter))), text(filter)).to.deep.equal([id]);
          expect(await listOf(made.documents, filter), text(filter)).to.have.length(1);
        }
        expect(await listOf(made.documents, { ...both, type: 'Image' })).to.deep.equal([]);
      }
    });

    it('match one of several values, and nothing by none of them', async () => {
      const entity = randomUUID();
      const ids: Array<string> = [];
      for (const type of ['Offer', 'Image', 'Lead', 'Offer']) ids.push(await aDocument({ entity, type }));
      const matching = async (type: ReadonlyArray<string>) => {
        const found = idsOf(recordsOf(await pageOf(made.documents, { entity, type })));
        expect(await listOf(made.documents, { entity, type })).to.have.length(found.length);
        return found.map((id) => ids.indexOf(id));
      };
      expect(await matching(['Lead', 'Offer'])).to.deep.equal([0, 2, 3]);
      expect(await matching(['Lead', 'a"b,c}', "'", '\\', ''])).to.deep.equal([2]);
      for (const none of [[], [''], ['\0'], ['Campaign', 'User']]) expect(await matching(none)).to.deep.equal([]);
    });

    it('count the records that a list has, without those that are deleted', async () => {
      const parent = aWord();
      await business(created('before'));
      const before = await made.businesses.count({}, order);
      for (const name of ['a', 'b', 'a']) await business(created(name, { parent }));
      await business(created('gone', { parent }), deleted);
      if (E.isLeft(before)) throw new Error('not counted', { cause: before.left });
      await counted(made.businesses, {}, order, before.right + 3);
      const entity = randomUUID();
      for (const name of ['c', 'd']) await aDocument({ entity, name });
      for (const by of ['created', 'name'] as const)
        await counted(made.documents, { entity }, { by, isDescending: true }, 2);
    });

    it('give records by their ids, in the order of the list, and by all else that is asked', async () => {
      const parent = aWord();
      const ids: Array<string> = [];
      for (const name of ['c', 'a', 'b', 'd']) ids.push(await business(created(name, { parent })));
      await business(created('e', { parent }));
      const gone = await business(created('gone', { parent }), deleted);
      const asked = [...ids.toReversed(), gone, randomUUID(), 'x', ids[0]!.toUpperCase(), "'", '', '\0'];
      const of = async (filter: Asked<BusinessFilter>, by: Order, limit = 100) => {
        const found = await allOf(made.businesses, filter, by, limit);
        return found.map((id) => ids.indexOf(id));
      };
      for (const limit of [1, 3, 100]) {
        expect(await of({ ids: asked }, order, limit)).to.deep.equal([0, 1, 2, 3]);
        expect(await of({ ids: asked }, { by: 'created', isDescending: true }, limit)).to.deep.equal([3, 2, 1, 0]);
        expect(await of({ ids: asked }, { by: 'name', isDescending: false }, limit)).to.deep.equal([1, 2, 0, 3]);
        expect(await of({ ids: asked, q: 'a', parent }, order, limit)).to.deep.equal([1]);
      }
      expect(await of({ ids: asked, name: 'e' }, order)).to.deep.equal([]);
      for (const none of [[], ['x'], [gone]]) expect(await of({ ids: none }, order)).to.deep.equal([]);
    });

    it('page by several filters that are frequent each, and seldom met by the same document', async () => {
      const long = (): string => 'long '.repeat(100) + randomUUID();
      for (const half of [[randomUUID(), randomUUID()] as const, [long(), long()] as const, HALVES]) {
        const documents = [];
        for (let n = 0; n < 120; n += 1) {
          // the documents of an entity have one set of values, and those of the other the other, but for three of them
          const other = [3, 77, 119].includes(n) ? n % 2 : (n + 1) % 2;
          const tags = [`tag ${half[other]!}`, 'all'];
          const fields = { entity: half[n % 2]!, entityType: HALVES[other]!, type: ['Image', 'Offer'][other]!, tags };
          const id = randomUUID();
          documents.push({ ...fields, id, position: await append(made.store, `document-${id}`, 0n, document(fields)) });
        }
        await made.shown(documents.at(-1)!.position);
        const { entity, type, entityType, tags } = documents[0]!;
        const [tag] = tags;
        const filters: ReadonlyArray<DocumentFilter> = [
          ...half.flatMap((of) => [
            { type, tag: `tag ${of}` },
            ...HALVES.map((kind) => ({ entity: of, entityType: kind })),
          ]),
          { entity, type },
          { entity, type: 'Image' },
          { entity, type: 'Offer', entityType },
          { entity, type, entityType, tag: tag! },
          { entity, tag: 'all' },
          { entity, type: ['Image', 'Offer'] },
          { entity, type: ['Lead', 'Offer'], entityType: ['Document', 'Lead'] },
          { tag: tag!, type: ['Image', 'Campaign'] },
        ];
        for (const filter of filters)
          for (const limit of [1, 2, 200]) {
            const expected = documents.filter((each) =>
              Object.entries(filter).every(([key, value]) =>
                [value]
                  .flat()
                  .some((wanted) =>
                    key === 'tag'
                      ? each.tags.includes(wanted)
                      : each[key as 'entity' | 'type' | 'entityType'] === wanted,
                  ),
              ),
            );
            const found = [];
            let after: Cursor | undefined;
            do {
              const page: Page = await pageOf(made.documents, filter, after, limit);
              found.push(...idsOf(recordsOf(page)));
              after = page.next;
            } while (after !== undefined);
            expect(found, `${text({ ...filter })} limit ${limit}`).to.deep.equal(expected.map(({ id }) => id));
          }
      }
    });

    describe('find records by their words', () => {
      const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        // searched for; names of those that are found
        ['acme', ['Acme Holding', 'ACME-Foods']],
        ['HOLD acm', ['Acme Holding']],
        ['acme holdings', []],
        ['cme', []],
        ['strasse', ['Bäckerei Straße']],
        ['BÄCK', ['Bäckerei Straße']],
        ['οδος', ['ΟΔΟΣ Α.Ε.']],
        ['ｆｏｏｄｓ', ['ACME-Foods']],
        ['東京', ['東京電力']],
        ['電力', ['東京電力']],
        ['مطعم', ['مطعم الشام']],
        ['12-34', ['Numbered']],
        ['', []],
        ['!? -', []],
        ["' & | ! :* \\", []],
      ];

      it('whatever their case and script', async () => {
        const parent = randomUUID();
        for (const name of ['Acme Holding', 'ACME-Foods', 'Bäckerei Straße', 'ΟΔΟΣ Α.Ε.', '東京電力', 'مطعم الشام'])
          await business(created(name, { parent }));
        await business(created('Numbered', { parent, ein: '12-3456789' }));
        for (const [q, names] of cases) {
          const page = await pageOf(made.businesses, { q, parent });
          expect(namesOf(page), q).to.deep.equal(names);
          expect(await listOf(made.businesses, { q, parent }), q).to.have.length(names.length);
        }
      });

      it('of all their fields, as they are now', async () => {
        const [dba, displayName, ein] = [aWord(), aWord(), aWord()];
        const id = await business(created(aWord(), { dba, displayName, ein }), renamed('Renamed'));
        for (const q of [dba, displayName, ein, `${ein} ${dba} ren`, dba.slice(0, -1)])
          expect(idsOf(recordsOf(await pageOf(made.businesses, { q }))), q).to.deep.equal([id]);
        const [name, originalName, tag] = [aWord(), aWord(), aWord()];
        const uploaded = { ...file, originalName: `${originalName}.pdf` };
        const documentId = await aDocument({ name, file: uploaded, tags: ['other', `to ${tag}`] });
        for (const q of [name, originalName, tag, `pdf ${tag} ${name}`])
          expect(idsOf(recordsOf(await pageOf(made.documents, { q }))), q).to.deep.equal([documentId]);
        expect(await pageOf(made.documents, { q: tag, type: 'Offer' })).to.deep.equal(NONE);
      });

      it('which may be very long, or very many', async () => {
        const word = aWord();
        const many = Array.from({ length: 3_000 }, (_, n) => `${word}${n}`).join(' ');
        const id = await business(created(many), {
          type: 'BusinessUpdated',
          data: { changes: { dba: '長'.repeat(9_000) } },
        });
        expect(idsOf(recordsOf(await pageOf(made.businesses, { q: `${word}7` })))).to.deep.equal([id]);
      });
    });

    it('narrow a list to what was created or updated since then, inclusive', async () => {
      const parent = randomUUID();
      const times = ['2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z', '2026-03-03T00:00:00.000Z'] as const;
      const [first, second] = [randomUUID(), randomUUID()];
      await append(made.store, `business-${first}`, 0n, { ...created('First', { parent }), at: times[0] });
      await append(made.store, `business-${second}`, 0n, { ...created('Second', { parent }), at: times[1] });
      await made.shown(await append(made.store, `business-${first}`, 1n, { ...renamed('Later'), at: times[2] }));
      const found = async (filter: RecordFilter) => {
        const ids = idsOf(recordsOf(await pageOf(made.businesses, { parent, ...filter })));
        expect(await listOf(made.businesses, { parent, ...filter })).to.have.length(ids.length);
        return ids;
      };
      expect(await found({ createdSince: times[0] })).to.deep.equal([first, second]);
      expect(await found({ createdSince: '2026-03-01T00:00:00.001Z' })).to.deep.equal([second]);
      expect(await found({ updatedSince: times[1] })).to.deep.equal([first, second]);
      expect(await found({ updatedSince: times[2] })).to.deep.equal([first]);
      expect(await found({ createdSince: times[1], updatedSince: times[2] })).to.deep.equal([]);
    });

    it('match an owner as the business has it now', async () => {
      const [alice, bob] = [randomUUID(), randomUUID()];
      const owner = (user: string) => ({ type: 'BusinessOwnerAdded', data: { user, title: null, equity: null } });
      const removed = { type: 'BusinessOwnerRemoved', data: { user: bob } };
      const both = await business(created('Both'), owner(alice), owner(bob));
      const one = await business(created('One'), owner(bob), owner(alice), removed);
      expect(idsOf(recordsOf(await pageOf(made.businesses, { owner: alice })))).to.deep.equal([both, one]);
      expect(idsOf(recordsOf(await pageOf(made.businesses, { owner: bob })))).to.deep.equal([both]);
      expect(await pageOf(made.businesses, { owner: bob.slice(1) })).to.deep.equal(NONE);
    });

    describe('in another order', () => {
      const NAMES = ['b', 'B', 'a', 'ä', '\u{1F3E2}', '\uFF21', 'b', '', 'a b', 'Ab'];
      // by code point, those that are equal as they were created
      const SORTED = ['', 'Ab', 'B', 'a', 'a b', 'b', 'b', 'ä', '\uFF21', '\u{1F3E2}'];

      const allPages = (filter: Asked<BusinessFilter>, by: Order, limit: number) =>
        allOf(made.businesses, filter, by, limit);

      for (const [what, filterOf] of [
        ['by a value', (unique: string) => ({ parent: unique })],
        ['by an owner', (unique: string) => ({ owner: unique })],
        ['by words', (unique: string) => ({ q: unique })],
        ['by a value and a time', (unique: string) => ({ parent: unique, createdSince: AT })],
      ] as const)
        it(`page through records found ${what}, each once`, async () => {
          const unique = aWord();
          const names = new Map<string, string>();
          const ids: Array<string> = [];
          for (const name of NAMES) {
            const fields = { parent: unique, dba: unique, name };
            const owner = { type: 'BusinessOwnerAdded', data: { user: unique, title: null, equity: null } };
            const id = await business(created(name, fields), owner);
            names.set(id, name);
            ids.push(id);
          }
          const filter = filterOf(unique);
          for (const limit of [1, 3, 100]) {
            expect(await allPages(filter, { by: 'created', isDescending: true }, limit)).to.deep.equal(
              ids.toReversed(),
            );
            const byName = await allPages(filter, { by: 'name', isDescending: false }, limit);
            expect(byName.map((id) => names.get(id))).to.deep.equal(SORTED);
            expect(byName.filter((id) => names.get(id) === 'b')).to.deep.equal([ids[0], ids[6]]);
            const turned = await allPages(filter, { by: 'name', isDescending: true }, limit);
            expect(turned).to.deep.equal(byName.toReversed());
          }
        });

      it('give each record once whose name stays, while others are renamed or deleted', async () => {
        const parent = randomUUID();
        const ids: Array<string> = [];
        for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) ids.push(await business(created(name, { parent })));
        const by = { by: 'name', isDescending: false } as const;
        const pageAfter = async (after?: Cursor) => {
          const page = await made.businesses.page({ parent }, { order: by, after, limit: 2 });
          if (E.isLeft(page)) throw new Error('no page', { cause: page.left });
          return { ids: idsOf(recordsOf(page.right)), next: page.right.next };
        };
        const first = await pageAfter();
        await made.shown(await append(made.store, `business-${ids[1]!}`, 1n, renamed('z')));
        await made.shown(await append(made.store, `business-${ids[4]!}`, 1n, renamed('0')));
        const second = await pageAfter(first.next);
        await made.shown(await append(made.store, `business-${ids[3]!}`, 1n, deleted));
        const third = await pageAfter(second.next);
        expect([first.ids, second.ids, third.ids]).to.deep.equal([
          [ids[0], ids[1]],
          [ids[2], ids[3]],
          [ids[5], ids[1]],
        ]);
      });

      it('stream a page of large records', async () => {
        const parent = randomUUID();
        const ids: Array<string> = [];
        for (const name of ['c', 'a', 'd', 'b'])
          ids.push(await business(created(name, { parent, line1: 'x'.repeat(150_000) })));
        const [c, a, d, b] = ids;
        for (const [isDescending, expected] of [
          [false, [a, b, c]],
          [true, [d, c, b]],
        ] as const) {
          const page = await made.businesses.page({ parent }, { order: { by: 'name', isDescending }, limit: 3 });
          if (E.isLeft(page)) throw new Error('no page', { cause: page.left });
          expect(idsOf(await largeRecordsOf(page.right))).to.deep.equal(expected);
        }
      });
    });

    it('give who uploaded a document, and where its file is', async () => {
      const tag = randomUUID();
      const withFile = await aDocument({ tags: [tag], file });
      const without = await aDocument({ tags: [tag] });
      expect(idsOf(recordsOf(await pageOf(made.documents, { tag, uploadedBy: 'alice' })))).to.deep.equal([withFile]);
      expect(await made.documents.fileOf(withFile)).to.deep.equal(E.right(O.some({ file, revision: 0n })));
      expect(await made.documents.fileOf(without)).to.deep.equal(E.right(O.some({ file: null, revision: 0n })));
      for (const id of [randomUUID(), ...HOSTILE])
        expect(await made.documents.fileOf(id), id).to.deep.equal(E.right(O.none));
      expect(JSON.parse((await recordOf(made.documents, withFile)).body)).to.deep.include({
        uploadedAt: AT,
        size: 3,
      });
    });

    it('match nothing by an empty text, or one that no record can hold', async () => {
      await business(created('', { ein: '', parent: '' }));
      for (const value of ['', '\0', 'a\0b', '\ud800']) {
        for (const filter of [{ name: value }, { ein: value }, { parent: value, name: 'x' }]) {
          expect(await listOf(made.businesses, filter)).to.deep.equal([]);
          expect(await pageOf(made.businesses, filter)).to.deep.equal(NONE);
        }
        expect(await listOf(made.documents, { tag: value })).to.deep.equal([]);
      }
    });
  });
};
