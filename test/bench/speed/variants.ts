import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openEmbedded } from '../../support/embedded-postgres.js';
import { tokenFor } from '../../support/service-process.js';
import { type BuiltService, startBuiltService } from '../built-service.js';
import { startLoadGenerator } from '../measure/load.js';
import type { Processes, Side } from '../measure/measure.js';
import { cpuOfPostgresBelow } from '../processes.js';
import { API, type Case, type Request, type Seeded } from './cases.js';
import { compare, type Lengths, type Row } from './compare.js';
import { newDatabases } from './databases.js';
import { type Ends, withEnds } from './ends.js';
import { seed } from './seed.js';
import type { Settings } from './stack.js';

/** A service that has something, or lacks it. */
export type Variant = {
  readonly settings: Settings;
  /** Called with its database when it has started. */
  readonly onStarted?: (database: string) => Promise<void>;
};

/** A request to one variant, in turns with the same request to the other. */
export type Compared = Pick<Case, 'name' | 'connections' | 'limitIs' | 'wanted'> & {
  readonly request: (seeded: Seeded) => Request;
};

const UNSEEDED: Seeded = { plain: [], ten: [], hundred: [], thousand: [] };

const newDirectory = async (ends: Ends): Promise<string> => {
  const directory = await mkdtemp(path.join(tmpdir(), 'cost-'));
  ends.push(() => rm(directory, { recursive: true, force: true }));
  return directory;
};

/** A Postgres for both variants. */
export const startPostgres = async (ends: Ends): Promise<string> => {
  const { connectionString, stop } = await openEmbedded(await newDirectory(ends));
  ends.push(stop);
  return connectionString;
};

const start = async (database: string, { settings, onStarted }: Variant, ends: Ends): Promise<BuiltService> => {
  const service = await startBuiltService(await newDirectory(ends), { DATABASE_URL: database, ...settings });
  ends.push(service.stop);
  await onStarted?.(database);
  return service;
};

/** Requests to one variant of the service in turns with those to another, on new databases of one Postgres. */
export const compareVariants = (
  postgres: string,
  variants: Readonly<Record<'service' | 'limit', Variant>>,
  compared: ReadonlyArray<Compared>,
  { businesses, ...lengths }: Lengths & { readonly businesses: number },
): Promise<ReadonlyArray<Row>> =>
  withEnds(async (ends) => {
    const { urls, leave } = await newDatabases(postgres, ['service', 'limit']);
    ends.push(leave);
    const service = await start(urls.service, variants.service, ends);
    const limit = await start(urls.limit, variants.limit, ends);
    const generator = startLoadGenerator();
    ends.push(generator.stop);
    const headers = { Authorization: `Bearer ${await tokenFor('admin', 'alice')}` };
    const portOf = ({ address }: BuiltService): number => Number(new URL(address).port);
    const seededIn = async (one: BuiltService): Promise<Seeded> =>
      businesses === 0
        ? UNSEEDED
        : seed(generator, { port: portOf(one), path: API, idKey: '_id', headers }, businesses);
    const seeded = { service: await seededIn(service), limit: await seededIn(limit) };
    const sideOf = (one: BuiltService, connections: number, request: Request): Side => ({
      pid: one.pid,
      send: (length) =>
        generator.run({ sendsBusiness: false, ...request, connections, length, headers, port: portOf(one) }),
    });
    const processes: Processes = {
      servers: { postgres: () => cpuOfPostgresBelow(process.pid), eventStoreDb: () => NaN },
      generator: generator.pid,
      others: [service.pid, limit.pid],
    };
    const rows: Array<Row> = [];
    for (const { request, ...each } of compared) {
      const sides = {
        service: sideOf(service, each.connections, request(seeded.service)),
        limit: sideOf(limit, each.connections, request(seeded.limit)),
      };
      rows.push(await compare(processes, each, sides, lengths));
    }
    return rows;
  });
