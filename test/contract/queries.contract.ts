import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { either as E, option as O } from 'fp-ts';
import type { Json } from '../../src/event-sourcing/canonical-json.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { Position } from '../../src/event-sourcing/recorded-event.js';
import type { BusinessQueries, DocumentFilter, DocumentQueries, Page, Queries } from '../../src/read/queries.js';
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

const unknownCursor = E.left({ _tag: 'UnknownCursor' });

const text = (fields: Readonly<Record<string, Json>>): string => JSON.stringify(fields);

const businessBody = (_id: string, over: Readonly<Record<string, Json>>): string =>
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

const file = { key: 'a/b', size: 3, sha256: 'abc', mimeType: 'text/plain', originalName: 'a.txt' };

const idsOf = (bodies: ReadonlyArray<string>): ReadonlyArray<string> =>
  bodies.map((body) => (JSON.parse(body) as { _id: string })._id);

const pageOf = async <Filter>(queries: Queries<Filter>, filter: Filter, after?: string, limit = 100): Promise<Page> => {
  const page = await queries.page(filter, { after, limit });
  if (E.isLeft(page)) throw new Error('no page', { cause: page.left });
  return page.right;
};

/** The whole list as its bytes say it; also checks that they are one JSON array. */
const listOf = async <Filter>(
  queries: Queries<Filter>,
  filter: Filter,
  after?: string,
): Promise<ReadonlyArray<unknown>> => {
  const list = await queries.all(filter, after);
  if (E.isLeft(list)) throw new Error('no list', { cause: list.left });
  return JSON.parse((await buffer(list.right)).toString('utf8')) as ReadonlyArray<unknown>;
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
    this.timeout(60_000);
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
      const body = businessBody(id, { name: 'Acme "&" Co\n', ein: '1', netWorth: 1.5 });
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
      const ids = [];
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
      expect([first.next, second.next, third.next]).to.deep.equal([ids[2], ids[5], undefined]);
      expect(await pageOf(made.businesses, { ein }, ids[6])).to.deep.equal(NONE);
      expect((await pageOf(made.businesses, { ein }, ids[3], 3)).next).to.equal(undefined);
    });

    it('give a page as one JSON array of the very texts that the records have by their ids', async () => {
      const ein = randomUUID();
      const ids = [];
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
        return { ids: idsOf(await largeRecordsOf(page)), next: page.next };
      };
      expect([await read(), await read(ids[2]), await read(ids[5])]).to.deep.equal([
        { ids: ids.slice(0, 3), next: ids[2] },
        { ids: ids.slice(3, 6), next: ids[5] },
        { ids: ids.slice(6), next: undefined },
      ]);
      const body = businessBody(ids[4]!, { name: 'No 4', ein, line1 });
      expect(await recordOf(made.businesses, ids[4]!)).to.deep.equal({ revision: 0n, body });
    });

    it('refuse a cursor that was never an id', async () => {
      for (const after of [randomUUID(), '', 'x', ...HOSTILE]) {
        expect(await made.businesses.page({}, { after, limit: 1 }), after).to.deep.equal(unknownCursor);
        expect(await made.businesses.page({ ein: '' }, { after, limit: 1 }), after).to.deep.equal(unknownCursor);
        expect(await made.businesses.all({}, after), after).to.deep.equal(unknownCursor);
      }
    });

    it('list all records as one JSON array, whatever is in them', async () => {
      const ein = randomUUID();
      const names = ['', 'x'.repeat(70_000), ...HOSTILE, 'ends with [', ']', ','];
      const ids = [];
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
        ];
        for (const filter of filters)
          for (const limit of [1, 2, 200]) {
            const expected = documents.filter((each) =>
              Object.entries(filter).every(([key, value]) =>
                key === 'tag' ? each.tags.includes(value) : each[key as 'entity' | 'type' | 'entityType'] === value,
              ),
            );
            const found = [];
            let after: string | undefined;
            do {
              const page: Page = await pageOf(made.documents, filter, after, limit);
              found.push(...idsOf(recordsOf(page)));
              after = page.next;
            } while (after !== undefined);
            expect(found, `${text({ ...filter })} limit ${limit}`).to.deep.equal(expected.map(({ id }) => id));
          }
      }
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
