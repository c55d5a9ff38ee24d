import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { openEmbedded } from '../../support/embedded-postgres.js';
import { tokenFor } from '../../support/service-process.js';
import { type BuiltService, startBuiltService } from '../built-service.js';
import { collectedBy } from '../measure/collected.js';
import { type Load, type LoadGenerator, startLoadGenerator } from '../measure/load.js';
import type { Processes, Side } from '../measure/measure.js';
import { cpuOfPostgresBelow, cpuOfServer } from '../processes.js';
import { API, type Case, type Request, type Seeded } from './cases.js';
import { compare, type Lengths, type Row } from './compare.js';
import { type Databases, newDatabases } from './databases.js';
import { type Ends, withEnds } from './ends.js';
import { startLimits } from './limits.js';
import { seed } from './seed.js';

/** Where the service keeps what it stores; absent: on its embedded Postgres, and on disk. */
export type Settings = Readonly<Record<string, string>>;

/** A running service, and beside it what it is compared with, on the same Postgres; both with the same businesses. */
export type Stack = {
  readonly service: BuiltService;
  readonly processes: Processes;
  /** The service as a side of a comparison: what answers this request on so many connections. */
  readonly serviceSide: (request: Request, connections: number) => Side;
  readonly compare: (each: Case, lengths: Lengths) => Promise<Row>;
};

type Both = Databases<'service' | 'limits'>;

/** The database of a service that runs on its embedded Postgres, and a new one beside it. */
const besideEmbedded = async (dataDir: string): Promise<Both> => {
  const { connectionString: service, stop } = await openEmbedded(dataDir);
  const client = new pg.Client({ connectionString: service });
  await client.connect();
  await client.query('create database limits');
  await client.end();
  return { urls: { service, limits: new URL('limits', service).href }, leave: stop };
};

/** Where EventStoreDB listens: of several nodes the first. */
const nodeOf = (connectionString: string): string => {
  const [, host = ''] = /\/\/(?:[^@/]*@)?([^,/?]+)/.exec(connectionString) ?? [];
  return `http://${host.includes(':') ? host : `${host}:2113`}`;
};

const requireEmpty = async ({ address }: BuiltService, headers: Load['headers']): Promise<void> => {
  const answer = await fetch(`${address}${API}?limit=1`, { headers });
  if ((await answer.text()) !== '[]') throw new Error('there are businesses in the log already: it has to be empty');
};

const opened = async (settings: Settings, businesses: number, ends: Ends): Promise<Stack> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'speed-'));
  ends.push(() => rm(dataDir, { recursive: true, force: true }));
  const { DATABASE_URL: own, EVENTSTOREDB_URL: log } = settings;
  const databases = own === undefined ? undefined : await newDatabases(own, ['service', 'limits']);
  if (databases !== undefined) ends.push(databases.leave);
  const service = await startBuiltService(dataDir, {
    ...settings,
    ...(databases === undefined ? {} : { DATABASE_URL: databases.urls.service }),
  });
  ends.push(service.stop);
  const { urls, ...joined } = databases ?? (await besideEmbedded(dataDir));
  if (databases === undefined) ends.push(joined.leave);
  const generator: LoadGenerator = startLoadGenerator();
  ends.push(generator.stop);
  const limits = await startLimits(urls.limits, urls.service);
  ends.push(limits.stop);

  const headers = { Authorization: `Bearer ${await tokenFor('admin', 'alice')}` };
  await requireEmpty(service, headers);
  const places = {
    service: { port: Number(new URL(service.address).port), path: API, idKey: '_id', headers },
    limits: { port: limits.port, path: '/crud', idKey: 'id', headers },
  } as const;
  const seeded: Readonly<Record<keyof typeof places, Seeded>> = {
    service: await seed(generator, places.service, businesses),
    limits: await seed(generator, places.limits, businesses),
  };
  const processes: Processes = {
    servers: {
      postgres: own === undefined ? () => cpuOfPostgresBelow(service.pid) : cpuOfServer(own),
      eventStoreDb: log === undefined ? () => NaN : cpuOfServer(nodeOf(log)),
    },
    generator: generator.pid,
    others: [service.pid, limits.pid],
  };
  const sideOf =
    (pid: number, port: number) =>
    ({ headers: more = {}, sendsBusiness = false, ...request }: Request, connections: number): Side => ({
      pid,
      send: (length) =>
        generator.run({ ...request, sendsBusiness, connections, port, headers: { ...headers, ...more }, length }),
    });
  const serviceSide: Stack['serviceSide'] = (request, connections) => ({
    ...sideOf(service.pid, places.service.port)(request, connections),
    collected: () => collectedBy(service.address, headers),
  });
  const limitSide = sideOf(limits.pid, limits.port);
  return {
    service,
    processes,
    serviceSide,
    compare: (each, lengths) =>
      compare(
        processes,
        each,
        {
          service: serviceSide(each.service(seeded.service), each.connections),
          limit: limitSide(each.limits(seeded.limits), each.connections),
        },
        lengths,
      ),
  };
};

/** Starts a stack with so many businesses, and ends it with all that it stored, but for a log of one's own. */
export const withStack = <A>(settings: Settings, businesses: number, work: (stack: Stack) => Promise<A>): Promise<A> =>
  withEnds(async (ends) => work(await opened(settings, businesses, ends)));
