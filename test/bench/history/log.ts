import { randomUUID } from 'node:crypto';
import { type BenchFact, openStreamOf, type OpenStream } from '../sealed-log.js';

const EVENTS_EACH = 5;

/** So many records change at the same time; the events of each are that far apart. */
const AT_ONCE = 500;

/** One of so many events is of the same business. */
const LONG_EVERY = 20;

/** About so many events have a rare value, however long the log is. */
const RARE = 20;

/** One of so many events is from a clock that is an hour slow: then its time is before that of the events before it. */
const LATE_EVERY = 1_000;
const LATE_MS = 60 * 60 * 1_000;

const BEGIN = Date.parse('2025-01-01T00:00:00.000Z');
const YEAR_MS = 365 * 24 * 60 * 60 * 1_000;

/** Those who act: one often, one seldom, one only in the last tenth of the log, and 47 others. */
export const OFTEN = 'alice';
export const SELDOM = 'seldom';
export const NEWCOMER = 'newcomer';
const OTHERS = 47;

/** Fields of businesses that change together. */
const CHANGES: ReadonlyArray<ReadonlyArray<string>> = [
  ['email'],
  ['phone'],
  ['email', 'phone'],
  ['line1', 'city', 'state', 'zip'],
  ['netWorth'],
  ['netWorth', 'revenue'],
  ['displayName', 'dba'],
  ['businessType'],
  ['ein'],
  ['country', 'zip'],
];
const AMOUNTS = ['netWorth', 'revenue'];

/** A log, and what a search in it can ask for. */
export type History = {
  readonly events: number;
  /** A business to which one of four others belongs, and one to which a few do. */
  readonly parent: string;
  readonly rareParent: string;
  /** The business with the most events, and one with five. */
  readonly long: string;
  readonly short: string;
  /** Some records as the operator's program names them, with about so many events together. */
  readonly some: (events: number) => ReadonlyArray<string>;
  /** The time of an event that is not late, by its share (0 to 1) of the log, and by how far it is from the end. */
  readonly timeAt: (share: number) => string;
  readonly timeBeforeEnd: (events: number) => string;
  readonly written: () => Generator<readonly [OpenStream, BenchFact]>;
};

type Entity = { readonly number: number; readonly category: 'business' | 'document'; readonly id: string };

/** Whether one of few: with so many in all. */
const isRare = (number: number, all: number): boolean => number % Math.max(1, Math.floor(all / RARE)) === 7;

const valuesOf = (names: ReadonlyArray<string>, number: number): Readonly<Record<string, string | number>> =>
  Object.fromEntries(names.map((name) => [name, AMOUNTS.includes(name) ? number : `${name} ${number}`]));

const businessCreated = (number: number, parent: string | null): BenchFact => ({
  type: 'BusinessCreated',
  data: {
    name: `business ${number}`,
    displayName: 'Acme Trading Company of Springfield',
    businessType: 'corporation',
    dba: 'Acme',
    email: 'office@acme.example',
    phone: '+1 555 0100',
    netWorth: 1_250_000,
    revenue: 480_000.5,
    ein: `${number % 100}-${number}`,
    line1: '1 Main Street',
    city: 'Springfield',
    state: 'IL',
    zip: '62701',
    country: 'US',
    ...(parent === null ? {} : { parent }),
  },
});

const updated = (changes: Readonly<Record<string, string | number>>): BenchFact => ({
  type: 'BusinessUpdated',
  data: { changes },
});

/** A log of so many events: five each of businesses and documents, and one business with many. */
export const historyOf = (events: number): History => {
  const entities: ReadonlyArray<Entity> = Array.from({ length: Math.ceil(events / EVENTS_EACH) }, (_, number) => ({
    number,
    category: number % 3 === 2 ? 'document' : 'business',
    id: randomUUID(),
  }));
  const [parent, rareParent, long] = [randomUUID(), randomUUID(), randomUUID()];
  const idOf = (number: number): string => entities[number]?.id ?? long;

  /** Rare fields and names are only in the first half of the log. */
  const isRareEarly = (number: number): boolean => number < entities.length / 2 && isRare(number, entities.length);

  const factOfBusiness = (number: number, revision: number): BenchFact => {
    const owner = `owner-${number}`;
    switch (revision) {
      case 0:
        return businessCreated(number, number % 4 === 0 ? parent : isRare(number, entities.length) ? rareParent : null);
      case 1:
        return { type: 'BusinessOwnerAdded', data: { user: owner, title: null, equity: 100 } };
      case 2:
        return number % 2 === 0 ? updated({ website: `https://${number}.example` }) : updated({ revenue: number });
      case 3:
        return updated(isRareEarly(number) ? { line2: 'rear' } : valuesOf(CHANGES[number % CHANGES.length]!, number));
      default:
        if (isRareEarly(number)) return { type: 'BusinessDeleted', data: {} };
        if (number % 2 === 0) return { type: 'BusinessOwnerUpdated', data: { user: owner, equity: 50 } };
        return updated({ name: `business ${number} as of ${revision}` });
    }
  };

  const attached = (number: number) => ({ entity: idOf(number), entityType: 'Business' });

  const factOfDocument = (number: number, revision: number): BenchFact => {
    const type = 'DocumentUpdated';
    switch (revision) {
      case 0: {
        const data = { name: `document ${number}`, description: null, tags: ['all'], type: 'Document', file: null };
        return { type: 'DocumentCreated', data: { ...data, ...attached(number - 1) } };
      }
      case 1:
        return { type, data: { changes: { description: `of ${number}` } } };
      case 2:
        return { type, data: { changes: { tags: ['all', `of ${number}`] } } };
      case 3: {
        const [from, to] = [attached(number - 1), attached(number - 2)];
        return { type, data: { changes: { entity: to.entity }, detachedFrom: from, attachedTo: to } };
      }
      default:
        return { type, data: { changes: { name: `document ${number} as of ${revision}`, tags: [] } } };
    }
  };

  const factOf = ({ number, category }: Entity, revision: number): BenchFact =>
    category === 'business' ? factOfBusiness(number, revision) : factOfDocument(number, revision);

  /** Who acts often neither changes websites, documents and owners, nor refers to another record. */
  const isForOften = ({ type, data }: BenchFact): boolean => {
    if (type !== 'BusinessCreated' && type !== 'BusinessUpdated') return false;
    const text = JSON.stringify(data);
    return !text.includes('"website"') && !text.includes('"parent"');
  };

  const actorOf = (position: number, fact: BenchFact, isLong: boolean): string => {
    if (position >= 0.9 * events && position % 50 === 0) return NEWCOMER;
    if (isRare(position, events)) return SELDOM;
    if (!isLong && position % 5 > 0 && isForOften(fact)) return OFTEN;
    return `user-${position % OTHERS}`;
  };

  const timeOf = (position: number): number => BEGIN + Math.floor((position * YEAR_MS) / events);
  const clock = (ms: number): string => new Date(ms).toISOString();
  const atOf = (position: number): string =>
    clock(timeOf(position) - (position % LATE_EVERY === LATE_EVERY - 1 ? LATE_MS : 0));

  /** The events of the records, those of each far apart. */
  function* ofEntities(): Generator<readonly [OpenStream, BenchFact]> {
    for (let first = 0; first < entities.length; first += AT_ONCE) {
      const open = entities
        .slice(first, first + AT_ONCE)
        .map((entity) => ({ entity, stream: openStreamOf(entity.category, entity.id) }));
      for (let revision = 0; revision < EVENTS_EACH; revision += 1)
        for (const { entity, stream } of open) yield [stream, factOf(entity, revision)];
    }
  }

  function* written(): Generator<readonly [OpenStream, BenchFact]> {
    const others = ofEntities();
    const longStream = openStreamOf('business', long);
    for (let position = 0; position < events; position += 1) {
      const isLong = position % LONG_EVERY === 0;
      const next = isLong ? undefined : others.next();
      const [stream, fact] =
        next === undefined || next.done === true
          ? [longStream, position === 0 ? businessCreated(entities.length, null) : updated({ revenue: position })]
          : next.value;
      yield [stream, { ...fact, actor: actorOf(position, fact, isLong), at: atOf(position) }];
    }
  }

  return {
    events,
    parent,
    rareParent,
    long,
    short: idOf(0),
    some: (wanted) => entities.slice(0, Math.ceil(wanted / EVENTS_EACH)).map(({ category, id }) => `${category}/${id}`),
    timeAt: (share) => clock(timeOf(Math.floor(share * events))),
    timeBeforeEnd: (count) => clock(timeOf(events - count)),
    written,
  };
};
