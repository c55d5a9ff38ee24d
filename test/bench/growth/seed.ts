import { randomUUID } from 'node:crypto';
import { fillLogWith, type BenchFact, openStreamOf, type OpenStream } from '../sealed-log.js';

/** Events of the long streams, and how many streams there are of them; as many again have ten. */
const LONG = 10_000;
const LONG_STREAMS = 8;
const TEN_STREAMS = 200;

const EACH_PARENT = 500;

/** One of so many businesses has an owner, by an event of its own. */
const OWNED = 100;
const OWNERS = 1_000;

/** Of a hundred businesses one has the first of these words, two the second, and so on. */
const TRADES = ['foundry', 'brewery', 'bakery', 'forwarding', 'consulting', 'trading'];
const SHARES = [1, 2, 5, 12, 20, 60];

const tradeOf = (n: number): string => {
  let rest = (n * 37) % 100;
  for (const [index, share] of SHARES.entries()) {
    if (rest < share) return TRADES[index]!;
    rest -= share;
  }
  throw new Error('the shares are of a hundred');
};

/** Each a second after the one before. */
const timeOf = (n: number): string => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();

export type Seeded = {
  /** Ids of businesses with one event, of a hundred one with two, in creation order. */
  readonly plain: ReadonlyArray<string>;
  /** Those with ten events, and with ten thousand. */
  readonly ten: ReadonlyArray<string>;
  readonly long: ReadonlyArray<string>;
  readonly documents: ReadonlyArray<string>;
};

const ownerAdded = (n: number): BenchFact => ({
  type: 'BusinessOwnerAdded',
  at: timeOf(n + 1),
  data: { user: `owner ${(n / OWNED) % OWNERS}`, title: 'Director', equity: 50 },
});

/** Of a hundred businesses 90 have the same type; of a thousand, one has the rarest. Every name is unique. */
const businessCreated = (n: number): BenchFact => ({
  type: 'BusinessCreated',
  at: timeOf(n),
  data: {
    name: `business ${n}`,
    displayName: `Acme ${tradeOf(n)} of Springfield`,
    businessType: n % 10 < 9 ? 'corporation' : n % 1_000 === 9 ? 'rare' : 'llc',
    parent: n % 2 === 0 ? `parent ${Math.floor(n / EACH_PARENT)}` : null,
    ein: `${n % 100}-${n}`,
    dba: 'Acme',
    email: 'office@acme.example',
    phone: '+1 555 0100',
    website: 'https://acme.example',
    netWorth: 1_250_000,
    revenue: 480_000.5,
    line1: '1 Main Street',
    city: 'Springfield',
    state: 'IL',
    zip: '62701',
    country: 'US',
  },
});

const businessUpdated = (n: number): BenchFact => ({
  type: 'BusinessUpdated',
  data: { changes: { revenue: n } },
});

const file = { key: 'a/b', size: 3, sha256: 'abc', mimeType: 'text/plain', originalName: 'a.txt' };

/** Tags that all have, one of 20, one of 100, one of 1,000, and one of 20,000. One of 1,000 is uploaded by somebody else. */
const documentCreated = (n: number): BenchFact => ({
  type: 'DocumentCreated',
  at: timeOf(n),
  actor: n % 1_000 === 7 ? 'bob' : 'alice',
  data: {
    name: `document ${n}`,
    description: null,
    tags: ['all', `of-20-${n % 20}`, `of-100-${n % 100}`, `of-1000-${n % 1_000}`, `of-20000-${n % 20_000}`],
    type: n % 10 < 7 ? 'Document' : n % 10 < 9 ? 'Image' : 'Offer',
    entityType: n % 10 < 7 ? 'Lead' : 'Document',
    entity: `entity ${Math.floor(n / 50)}`,
    file,
  },
});

/** Fills the empty log with as many businesses as documents, and with some long streams. */
export const seed = async (connectionString: string, entities: number): Promise<Seeded> => {
  const idsOf = (count: number): ReadonlyArray<string> => Array.from({ length: count }, () => randomUUID());
  const seeded: Seeded = {
    plain: idsOf(entities),
    ten: idsOf(TEN_STREAMS),
    long: idsOf(LONG_STREAMS),
    documents: idsOf(entities),
  };
  function* events(): Generator<readonly [OpenStream, BenchFact]> {
    for (const [ids, revisions] of [[seeded.ten, 10] as const, [seeded.long, LONG] as const])
      for (const [n, id] of ids.entries()) {
        const stream = openStreamOf('business', id);
        yield [stream, businessCreated(entities + n)];
        for (let revision = 1; revision < revisions; revision += 1) yield [stream, businessUpdated(revision)];
      }
    for (let n = 0; n < entities; n += 1) {
      const business = openStreamOf('business', seeded.plain[n]);
      yield [business, businessCreated(n)];
      if (n % OWNED === 0) yield [business, ownerAdded(n)];
      yield [openStreamOf('document', seeded.documents[n]), documentCreated(n)];
    }
  }
  await fillLogWith(connectionString, events());
  return seeded;
};
