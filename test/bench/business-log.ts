import { type BenchFact, openStreamOf, type OpenStream } from './sealed-log.js';

const FIELDS = {
  displayName: 'Acme Trading Company of Springfield',
  businessType: 'corporation',
  dba: 'Acme',
  email: 'office@acme.example',
  phone: '+1 555 0100',
  website: 'https://acme.example',
  netWorth: 1_250_000,
  revenue: 480_000.5,
  ein: '12-3456789',
  line1: '1 Main Street',
  city: 'Springfield',
  state: 'IL',
  zip: '62701',
  country: 'US',
};

const factOf = (entity: number, revision: number): BenchFact => {
  const name = `business ${entity} as of ${revision}`;
  if (revision === 0) return { type: 'BusinessCreated', data: { name, ...FIELDS } };
  if (revision === 1) return { type: 'BusinessOwnerAdded', data: { user: `user-${entity}`, title: null, equity: 100 } };
  return { type: 'BusinessUpdated', data: { changes: { name, revenue: entity + revision } } };
};

/** `entities` businesses with `revisions` events each, the events of each business far apart. */
export function* eventsOfBusinesses(entities: number, revisions: number): Generator<readonly [OpenStream, BenchFact]> {
  const streams = Array.from({ length: entities }, () => openStreamOf('business'));
  for (let revision = 0; revision < revisions; revision += 1)
    for (const [entity, stream] of streams.entries()) yield [stream, factOf(entity, revision)];
}
