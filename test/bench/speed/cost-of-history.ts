import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { either as E } from 'fp-ts';
import pg from 'pg';
import { ledgerOf, registry } from '../../../src/entities/registry.js';
import { newCheckpointKey } from '../../../src/infrastructure/checkpoint-signer.js';
import { renderSigner } from '../../../src/seal/note-key.js';
import { openEmbedded } from '../../support/embedded-postgres.js';
import { tokenFor } from '../../support/service-process.js';
import { type BuiltService, startBuiltService } from '../built-service.js';
import { startLoadGenerator } from '../measure/load.js';
import type { Processes, Side } from '../measure/measure.js';
import { cpuOfPostgresBelow } from '../processes.js';
import { createRequest } from './cases.js';
import { compare, type Lengths, type Row } from './compare.js';
import { newDatabases } from './databases.js';
import { type Ends, withEnds } from './ends.js';
import type { Settings } from './stack.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const connections = 64;

const portOf = (address: string): number => Number(new URL(address).port);

/** Gives the ledger of a service to a writer that writes nothing, for ever. */
const STOP_LEDGER = `
update read_model.lease set holder = 'a benchmark', fencing = fencing + 1, expires_at = 'infinity'
where name = (select table_name from read_model.instance where projection = $1 and role = 'live')`;

const stopLedger = async (connectionString: string): Promise<void> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    while ((await client.query(STOP_LEDGER, [ledgerOf(registry).name])).rowCount !== 1) await delay(10);
  } finally {
    await client.end();
  }
};

const startPostgres = async (ends: Ends): Promise<string> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'cost-'));
  ends.push(() => rm(dataDir, { recursive: true, force: true }));
  const { connectionString, stop } = await openEmbedded(dataDir);
  ends.push(stop);
  return connectionString;
};

const signingKey = (): string => {
  const made = newCheckpointKey(systemRuntime.random, 'localhost/benchmark');
  if (E.isLeft(made)) throw new Error(made.left);
  return renderSigner(made.right);
};

const SEAL: Settings = { CHECKPOINT_KEY: signingKey() };
const MAC: Settings = { EVENT_KEY: 'a key of the benchmark that is long enough' };
const UNSEALED: Settings = { SEALING: 'false' };

/** A service, or one that lacks something; its ledger has to be stopped where `hasLedger` is false. */
type Variant = { readonly settings: Settings; readonly hasLedger: boolean };

const ALL: Variant = { settings: { ...SEAL, ...MAC }, hasLedger: true };

const WITHOUT: Readonly<Record<string, Variant>> = {
  'without mac': { ...ALL, settings: SEAL },
  'without signatures': { ...ALL, settings: { ...UNSEALED, ...MAC } },
  'without ledger, tree, signatures': { settings: { ...UNSEALED, ...MAC }, hasLedger: false },
  'without any of these': { settings: UNSEALED, hasLedger: false },
};

const start = async (database: string, { settings, hasLedger }: Variant, ends: Ends): Promise<BuiltService> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'cost-'));
  ends.push(() => rm(dataDir, { recursive: true, force: true }));
  const service = await startBuiltService(dataDir, { DATABASE_URL: database, ...settings });
  ends.push(service.stop);
  if (!hasLedger) await stopLedger(database);
  return service;
};

/** Creates of the service in turns with those of a variant, both on new databases of one Postgres. */
const compareWith = (postgres: string, limitIs: string, variant: Variant, lengths: Lengths): Promise<Row> =>
  withEnds(async (ends) => {
    const { urls, leave } = await newDatabases(postgres, ['service', 'variant']);
    ends.push(leave);
    const [service, other] = [await start(urls.service, ALL, ends), await start(urls.variant, variant, ends)];
    const generator = startLoadGenerator();
    ends.push(generator.stop);
    const headers = { Authorization: `Bearer ${await tokenFor('admin', 'alice')}` };
    const sideOf = ({ pid, address }: BuiltService): Side => ({
      pid,
      send: (length) =>
        generator.run({
          sendsBusiness: true,
          ...createRequest,
          ...{ connections, length, headers, port: portOf(address) },
        }),
    });
    const processes: Processes = {
      servers: { postgres: () => cpuOfPostgresBelow(process.pid), eventStoreDb: () => NaN },
      generator: generator.pid,
      others: [service.pid, other.pid],
    };
    const sides = { service: sideOf(service), limit: sideOf(other) };
    return compare(processes, { name: 'create', connections, limitIs }, sides, lengths);
  });

/**
 * What ledger, tree, signatures and macs cost a create: the service as it is beside itself without them. A ratio is the
 * share of the requests that is left.
 */
export const costOfHistory = (lengths: Lengths): Promise<ReadonlyArray<Row>> =>
  withEnds(async (ends) => {
    const postgres = await startPostgres(ends);
    const rows: Array<Row> = [];
    for (const [limitIs, variant] of Object.entries(WITHOUT))
      rows.push(await compareWith(postgres, limitIs, variant, lengths));
    return rows;
  });
