import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Json } from '../../src/event-sourcing/canonical-json.js';
import { GENESIS_HASH, seal } from '../../src/event-sourcing/envelope.js';

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

const factOf = (entity: number, revision: number): { readonly type: string; readonly data: Json } => {
  const name = `business ${entity} as of ${revision}`;
  if (revision === 0) return { type: 'BusinessCreated', data: { name, ...FIELDS } };
  if (revision === 1) return { type: 'BusinessOwnerAdded', data: { user: `user-${entity}`, title: null, equity: 100 } };
  return { type: 'BusinessUpdated', data: { changes: { name, revenue: entity + revision } } };
};

const copied = (text: string): string => text.replaceAll('\\', '\\\\');

/** Chained and sealed events, the revisions of each business far apart, in the text format of COPY. */
function* lines(entities: number, revisions: number): Generator<string> {
  const ends = Array.from({ length: entities }, () => ({ id: randomUUID(), hash: GENESIS_HASH }));
  let position = 0;
  for (let revision = 0; revision < revisions; revision += 1)
    for (const [entity, end] of ends.entries()) {
      const stream = `business-${end.id}` as const;
      const id = randomUUID();
      const event = seal({
        ...factOf(entity, revision),
        id,
        stream,
        revision: BigInt(revision),
        schemaVersion: 1,
        at: '2026-01-02T03:04:05.678Z',
        actor: 'alice',
        correlationId: id,
        causationId: id,
        request: '{}',
        previousHash: end.hash,
      });
      end.hash = event.hash;
      position += 1;
      yield `${position}\t${stream}\t${revision}\t${id}\t${event.type}\t${copied(event.data)}\t${copied(event.metadata)}\n`;
    }
}

function* inChunks(texts: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const text of texts) {
    chunk += text;
    if (chunk.length < 256 * 1024) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

/** Fills the empty log of a database: `entities` businesses with `revisions` events each. */
export const fillLog = async (connectionString: string, entities: number, revisions: number): Promise<void> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query('begin');
    const copy = 'copy event_log.event (position, stream, revision, id, type, data, metadata) from stdin';
    await pipeline(Readable.from(inChunks(lines(entities, revisions))), client.query(copyFrom(copy)));
    await client.query('update event_log.head set position = $1', [entities * revisions]);
    await client.query('commit');
    await client.query('vacuum analyze event_log.event');
  } finally {
    await client.end();
  }
};
