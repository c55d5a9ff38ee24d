/**
 * What the service is compared with, in a process of its own, on the same Postgres: below `/bare` the least that
 * could be done at all, below `/crud` what one would write who keeps rows and an audit table and no events.
 */
import { createSecretKey, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import jwt from 'koa-jwt';
import pg, { type PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { JWT_SECRET } from '../../support/service-process.js';
import type { LimitsMessage } from './limits.js';

const COLUMNS = [
  'name',
  'displayName',
  'businessType',
  'dba',
  'email',
  'phone',
  'website',
  'netWorth',
  'revenue',
  'ein',
]
  .concat(['parent', 'line1', 'line2', 'city', 'state', 'zip', 'country'])
  .map((name) => ({ name, type: ['netWorth', 'revenue'].includes(name) ? 'float8' : 'text' }));

const SCHEMA = `
  create table event (position bigserial primary key, stream uuid not null, revision bigint not null,
    at timestamptz not null default now(), data text not null, unique (stream, revision));
  create table record (id uuid primary key, body text not null);
  create table business (id uuid primary key default gen_random_uuid(), version int not null default 1,
    created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
    ${COLUMNS.map(({ name, type }) => `"${name}" ${type}`).join(', ')});
  create table audit (id bigserial primary key, business uuid not null references business, version int not null,
    action text not null, actor text not null, at timestamptz not null default now(), data jsonb not null,
    unique (business, version));`;

const NAMES = COLUMNS.map(({ name }) => `"${name}"`).join(', ');
const CREATE = `insert into business (${NAMES}) values (${COLUMNS.map((_, i) => `$${i + 1}`).join(', ')}) returning *`;
const UPDATE = `update business set version = version + 1, updated_at = now(), ${COLUMNS.map(({ name }, i) => `"${name}" = $${i + 2}`).join(', ')}
  where id = $1 returning *`;
const AUDIT = 'insert into audit (business, version, action, actor, data) values ($1, $2, $3, $4, $5)';
const EVENT_AND_RECORD = `with e as (insert into event (stream, revision, data) values ($1, 0, $2))
  insert into record (id, body) values ($1, $2)`;

/** The very rows that the service lists. */
const SERVICE_ROWS = 'copy (select body from read_model.businesses where body is not null order by place) to stdout';

type Row = { readonly id: string; readonly version: number };
type Fields = Readonly<Record<string, string | number | undefined>>;

const [database, serviceDatabase] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: database, max: 10 });
const servicePool = new pg.Pool({ connectionString: serviceDatabase, max: 1 });

const bodyOf = async ({ req }: Context): Promise<Fields> => {
  const chunks: Array<Buffer> = [];
  for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as Fields; // reason: only the benchmark calls
};

const valuesOf = (fields: Fields): Array<unknown> => COLUMNS.map(({ name }) => fields[name] ?? null);

const inTransaction = async (work: (client: PoolClient) => Promise<Row>): Promise<Row> => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const row = await work(client);
    await client.query('commit');
    return row;
  } finally {
    client.release();
  }
};

const write = (ctx: Context, fields: Fields, action: string, text: string, values: Array<unknown>): Promise<Row> =>
  inTransaction(async (client) => {
    const row = (await client.query<Row>(text, values)).rows[0]!;
    const { sub } = ctx.state['user'] as { sub: string }; // reason: of the benchmark's own token
    await client.query(AUDIT, [row.id, row.version, action, sub, fields]);
    return row;
  });

const bareApp = (): Koa =>
  new Koa().use(async (ctx) => {
    const id = ctx.path.slice('/bare/'.length);
    if (ctx.method === 'POST') {
      const fields = await bodyOf(ctx);
      const made = randomUUID();
      await pool.query({ name: 'write', text: EVENT_AND_RECORD, values: [made, JSON.stringify(fields)] });
      ctx.body = { id: made };
    } else if (id === 'copy') {
      const client = await servicePool.connect();
      let bytes = 0;
      for await (const chunk of client.query(copyTo(SERVICE_ROWS))) bytes += (chunk as Buffer).length; // reason: it is no object stream
      client.release();
      ctx.body = { bytes };
    } else
      ctx.body = (await pool.query({ name: 'read', text: 'select * from business where id = $1', values: [id] }))
        .rows[0] as Row; // reason: only ids that are there
  });

const crudRouter = (): Router =>
  new Router({ prefix: '/crud' })
    .post('/', async (ctx) => {
      const fields = await bodyOf(ctx);
      ctx.body = await write(ctx, fields, 'created', CREATE, valuesOf(fields));
    })
    .put('/:id', async (ctx) => {
      const fields = await bodyOf(ctx);
      ctx.body = await write(ctx, fields, 'updated', UPDATE, [ctx.params['id'], ...valuesOf(fields)]);
    })
    .get('/', async (ctx) => {
      const { limit = null, after = null } = ctx.query;
      const text = 'select * from business where $2::uuid is null or id > $2 order by id limit $1';
      ctx.body = (await pool.query(text, [limit, after])).rows;
    })
    .get('/:id/events', async (ctx) => {
      const text = 'select id, version, action, actor, at, data from audit where business = $1 order by version';
      ctx.body = (await pool.query(text, [ctx.params['id']])).rows;
    });

// reason: koa-jwt hands the key on to jsonwebtoken, which takes key objects
const secret = createSecretKey(Buffer.from(JWT_SECRET)) as unknown as Buffer;
const crudApp = (): Koa => {
  const app = new Koa();
  app.use(jwt({ secret, algorithms: ['HS256'] }));
  app.use(crudRouter().routes());
  return app;
};

await pool.query(SCHEMA);
const [bare, crud] = [bareApp().callback(), crudApp().callback()];
const server = createServer((request, response) => {
  void (request.url?.startsWith('/bare') === true ? bare : crud)(request, response);
}).listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port } satisfies LimitsMessage); // reason: it listens on TCP
});
