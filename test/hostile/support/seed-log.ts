import { randomUUID } from 'node:crypto';
import { either as E } from 'fp-ts';
import type { BusinessEvent, Owner } from '../../../src/domain/business/events.js';
import type { DocumentEvent, DocumentFields } from '../../../src/domain/document/events.js';
import { GENESIS_HASH, newSalt, seal } from '../../../src/event-sourcing/envelope.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { openEmbedded } from '../../support/embedded-postgres.js';
import { openStore } from '../../support/postgres-event-store.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

/** Ids of records that are as large as they may be. */
export type LargeRecords = {
  /** A business with 10,000 owners: a record of 1 MB. */
  readonly owned: string;
  /** The same with names as long as they may be: a record of 20 MB. */
  readonly longOwned: string;
  /** A business and a document with a history of some 40 MB each. */
  readonly longBusiness: string;
  readonly longDocument: string;
};

/** What an event says. */
export type Fact = BusinessEvent | DocumentEvent;

const RECORDS = 1_000;
const OWNERS = 10_000;
const BUSINESS_EVENTS = 2_000;
const DOCUMENT_EVENTS = 1_000;
/** Events of a stream that are appended at once, as an append has at most 1 MiB, and streams. */
const APPENDED = 20;
const AT_ONCE = 50;

/** The longest text that the contract allows takes four bytes a character. */
const longText = (characters: number, first: string): string => first + '\u{1F30A}'.repeat(characters - first.length);

/** Texts of a business as long as they may be: 17 KB. */
const longBusiness = (count: number): { readonly name: string } => {
  const [short, long] = [longText(255, `${count} `), longText(1_000, `${count} `)];
  const [displayName, dba, email, phone, city, state, zip, country, ein] = Array.from({ length: 9 }, () => short);
  const texts = { displayName, dba, email, phone, city, state, zip, country, ein, line1: long, line2: long };
  return { name: `business ${count}`, ...texts };
};

/** A document of 40 KB. */
export const longDocument = (count: number): Pick<DocumentFields, 'name' | 'description'> => ({
  name: `document ${count}`,
  description: longText(10_000, `${count} `),
});

const businessCreated = (count: number): Fact => ({ type: 'BusinessCreated', data: longBusiness(count) });

const documentCreated = (count: number): Fact => ({
  type: 'DocumentCreated',
  data: { ...longDocument(count), tags: [], type: 'Document', entityType: 'Document', entity: null, file: null },
});

const counted = <A>(length: number, make: (count: number) => A): ReadonlyArray<A> =>
  Array.from({ length }, (_, count) => make(count));

const owned = (user: (count: number) => Omit<Owner, 'equity'>): ReadonlyArray<Fact> => [
  { type: 'BusinessCreated', data: { name: 'owned by many' } },
  ...counted(OWNERS, (count): Fact => ({ type: 'BusinessOwnerAdded', data: { ...user(count), equity: 0.01 } })),
];

const businessHistory: ReadonlyArray<Fact> = [
  businessCreated(0),
  ...counted(BUSINESS_EVENTS, (count): Fact => ({
    type: 'BusinessUpdated',
    data: { changes: longBusiness(count + 1) },
  })),
];

const documentHistory: ReadonlyArray<Fact> = [
  documentCreated(0),
  ...counted(DOCUMENT_EVENTS, (count): Fact => ({
    type: 'DocumentUpdated',
    data: { changes: longDocument(count + 1) },
  })),
];

/** Appends the facts to a new stream as the service would have; gives the id of the entity. */
export const appendFacts = async (store: EventStore, facts: ReadonlyArray<Fact>): Promise<string> => {
  const entity = randomUUID();
  const stream = `${facts[0]!.type.startsWith('Business') ? 'business' : 'document'}-${entity}` as const;
  let previousHash = GENESIS_HASH;
  const events = facts.map(({ type, data }, index) => {
    const id = randomUUID();
    const revision = { stream, revision: BigInt(index), schemaVersion: 1, at: '2026-01-02T03:04:05.678Z' };
    const envelope = { id, actor: 'alice', correlationId: id, causationId: id, request: '{}', previousHash };
    const event = seal({ type, data, ...revision, ...envelope }, newSalt(systemRuntime.random));
    previousHash = event.hash;
    return event;
  });
  for (let first = 0; first < events.length; first += APPENDED) {
    const [head, ...rest] = events.slice(first, first + APPENDED);
    const appended = await store.append(stream, first === 0 ? 'no-stream' : BigInt(first - 1), [head!, ...rest]);
    if (E.isLeft(appended)) throw new Error('the log does not take the events', { cause: appended.left });
  }
  return entity;
};

const appendAll = async (store: EventStore): Promise<LargeRecords> => {
  const single = [...counted(RECORDS, businessCreated), ...counted(RECORDS, documentCreated)];
  for (let first = 0; first < single.length; first += AT_ONCE)
    await Promise.all(single.slice(first, first + AT_ONCE).map((fact) => appendFacts(store, [fact])));
  return {
    // after these, so that they are on no first page
    longBusiness: await appendFacts(store, businessHistory),
    longDocument: await appendFacts(store, documentHistory),
    owned: await appendFacts(
      store,
      owned((count) => ({ user: `user-${count}`, title: `partner ${count}` })),
    ),
    longOwned: await appendFacts(
      store,
      owned((count) => ({ user: longText(26, `${count} `), title: longText(26, `${count} `) })),
    ),
  };
};

/**
 * Fills the log of a new data directory, in which no service runs, with a thousand large businesses, as many documents,
 * and a few records that are larger. Over HTTP the owners alone would take minutes, as each costs what the record has
 * come to.
 */
export const seedLog = async (dataDir: string): Promise<LargeRecords> => {
  const { connectionString, stop } = await openEmbedded(dataDir);
  try {
    const store = await openStore(connectionString);
    return await appendAll(store).finally(store.close);
  } finally {
    await stop();
  }
};
