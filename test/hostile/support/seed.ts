import { randomUUID } from 'node:crypto';
import { either as E } from 'fp-ts';
import { GENESIS_HASH, seal } from '../../../src/event-sourcing/envelope.js';
import type { NewEvent, StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { startEmbeddedPostgres } from '../../../src/infrastructure/embedded/embedded-postgres.js';
import { makePostgresEventStore } from '../../../src/infrastructure/postgres/event-log/postgres-event-store.js';
import { startBuiltService } from '../../bench/built-service.js';
import { type Api, makeApi } from '../../support/api.js';
import { FORM_TYPE, formOf } from '../../support/multipart-form.js';
import { tokenFor } from '../../support/service-process.js';

/** Ids of what a service is filled with before it is flooded. */
export type Seeded = {
  /** Small, for normal clients. */
  readonly business: string;
  readonly quietBusiness: string;
  readonly document: string;
  /** A document with a file of 20 MiB. */
  readonly largeFile: string;
  /** A business with 10,000 owners: a record of 1 MB. */
  readonly owned: string;
  /** The same with names as long as they may be: a record of 20 MB. */
  readonly longOwned: string;
  /** A business and a document with a history of some 40 MB each. */
  readonly longBusiness: string;
  readonly longDocument: string;
};

/** `businessType` of the small businesses: a list of them is short. */
export const SMALL = 'small';

const OWNERS = 10_000;
const RECORDS = 1_000;
const BUSINESS_EVENTS = 2_000;
const DOCUMENT_EVENTS = 1_000;
const LARGE_FILE = 20 * 1024 * 1024;
const AT_ONCE = 32;
/** Events that are appended at once. */
const APPENDED = 100;

/** The longest text that the contract allows takes four bytes a character. */
const longText = (characters: number, first: string): string => first + '\u{1F30A}'.repeat(characters - first.length);

/** Every text of a business as long as it may be: 24 KB. */
const longBusinessBody = (count: number): object => ({
  ...Object.fromEntries(
    ['displayName', 'dba', 'email', 'phone', 'city', 'state', 'zip', 'country', 'ein'].map((field) => [
      field,
      longText(255, `${count} `),
    ]),
  ),
  line1: longText(1_000, `${count} `),
  line2: longText(1_000, `${count} `),
  name: `business ${count}`,
});

/** A document of 40 KB. */
export const longDocumentBody = (count: number): object => ({
  name: `document ${count}`,
  description: longText(10_000, `${count} `),
});

/** Does the work `count` times, some of it at once. */
const many = async (count: number, work: (index: number) => Promise<unknown>): Promise<void> => {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
};

type Owner = { readonly user: string; readonly title: string; readonly equity: number };

const usualOwner = (index: number): Owner => ({ user: `user-${index}`, title: `partner ${index}`, equity: 0.01 });
const longOwner = (index: number): Owner => ({
  user: longText(255, `${index} `),
  title: longText(255, `${index} `),
  equity: 0.01,
});

const ownerEvents = (stream: StreamName, ownerOf: (index: number) => Owner): ReadonlyArray<NewEvent> => {
  let previousHash = GENESIS_HASH;
  return Array.from({ length: OWNERS + 1 }, (_, index) => {
    const id = randomUUID();
    const event = seal({
      type: index === 0 ? 'BusinessCreated' : 'BusinessOwnerAdded',
      data: index === 0 ? { name: 'owned by many' } : ownerOf(index),
      id,
      stream,
      revision: BigInt(index),
      schemaVersion: 1,
      at: '2026-01-02T03:04:05.678Z',
      actor: 'alice',
      correlationId: id,
      causationId: id,
      request: '{}',
      previousHash,
    });
    previousHash = event.hash;
    return event;
  });
};

/**
 * Writes a business with 10,000 owners into the log of a data directory in which no service runs: over HTTP that takes
 * minutes, as each owner costs what the record has come to. Gives its id.
 */
const seedOwners = async (dataDir: string, ownerOf: (index: number) => Owner): Promise<string> => {
  const joined = await startEmbeddedPostgres({ dataDir, claim: 'operator', onLog: () => undefined })();
  if (E.isLeft(joined)) throw new Error(joined.left.message);
  const opened = await makePostgresEventStore({ connectionString: joined.right.connectionString })();
  if (E.isLeft(opened)) throw opened.left;
  const store = opened.right;
  try {
    const id = randomUUID();
    const events = ownerEvents(`business-${id}`, ownerOf);
    for (let first = 0; first < events.length; first += APPENDED) {
      const expected = first === 0 ? 'no-stream' : BigInt(first - 1);
      const [head, ...rest] = events.slice(first, first + APPENDED);
      const appended = await store.append(`business-${id}`, expected, [head!, ...rest])();
      if (E.isLeft(appended)) throw new Error('the owners were not appended', { cause: appended.left });
    }
    return id;
  } finally {
    await store.close();
    await joined.right.stop();
  }
};

type Named = { readonly _id: string };

const createBusiness = async (api: Api, body: object): Promise<string> =>
  (await api.json<Named>('POST', '/business', body))._id;

const createDocument = async (api: Api, body: object): Promise<string> =>
  (await api.json<Named>('POST', '/document', body))._id;

const upload = async (address: string, token: string, size: number): Promise<string> => {
  const content = Buffer.alloc(size, 'a file of a document ');
  const response = await fetch(`${address}/api/v1/document`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': FORM_TYPE },
    body: formOf({ name: 'name', content: 'with a file' }, { name: 'file', content, filename: 'file.txt' }),
  });
  if (response.status !== 200) throw new Error(`upload: ${response.status}`);
  return ((await response.json()) as Named)._id; // reason: POST answers a document
};

/** Creates all over HTTP but the businesses with many owners. */
const seedRest = async (address: string): Promise<Omit<Seeded, 'owned' | 'longOwned'>> => {
  const token = await tokenFor('admin', 'alice');
  const api = makeApi(address, token);
  const small = (name: string): object => ({ name, businessType: SMALL });
  const business = await createBusiness(api, small('a normal business'));
  const quietBusiness = await createBusiness(api, small('a normal business that stays as it is'));
  const longBusiness = await createBusiness(api, longBusinessBody(0));
  const longDocument = await createDocument(api, longDocumentBody(0));
  await many(RECORDS, (count) => createBusiness(api, longBusinessBody(count)));
  await many(RECORDS, (count) => createDocument(api, longDocumentBody(count)));
  await many(BUSINESS_EVENTS, (count) => api.json('PUT', `/business/${longBusiness}`, longBusinessBody(count)));
  await many(DOCUMENT_EVENTS, (count) => api.json('PUT', `/document/${longDocument}`, longDocumentBody(count)));
  const document = await upload(address, token, 1024);
  const largeFile = await upload(address, token, LARGE_FILE);
  return { business, quietBusiness, document, largeFile, longBusiness, longDocument };
};

/** Fills an empty data directory, mostly by means of a service that is started for it, and stopped. */
export const seed = async (dataDir: string): Promise<Seeded> => {
  const owned = await seedOwners(dataDir, usualOwner);
  const service = await startBuiltService(dataDir);
  const rest = await seedRest(service.address).finally(service.stop);
  // the last record, so that it is on no first page
  return { owned, ...rest, longOwned: await seedOwners(dataDir, longOwner) };
};
