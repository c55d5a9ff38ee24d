import { setTimeout as delay } from 'node:timers/promises';
import { either as E } from 'fp-ts';
import pg from 'pg';
import { ledgerOf, registry } from '../../../src/entities/registry.js';
import { newCheckpointKey } from '../../../src/infrastructure/checkpoint-signer.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { renderSigner } from '../../../src/seal/note-key.js';
import { createRequest } from './cases.js';
import type { Lengths, Row } from './compare.js';
import { withEnds } from './ends.js';
import type { Settings } from './stack.js';
import { compareVariants, startPostgres, type Variant } from './variants.js';

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

const signingKey = (): string => {
  const made = newCheckpointKey(systemRuntime.random, 'localhost/benchmark');
  if (E.isLeft(made)) throw new Error(made.left);
  return renderSigner(made.right);
};

const SEAL: Settings = { CHECKPOINT_KEY: signingKey() };
const MAC: Settings = { EVENT_KEY: 'a key of the benchmark that is long enough' };
const UNSEALED: Settings = { SEALING: 'false' };

const ALL: Variant = { settings: { ...SEAL, ...MAC } };

const WITHOUT: Readonly<Record<string, Variant>> = {
  'without mac': { settings: SEAL },
  'without signatures': { settings: { ...UNSEALED, ...MAC } },
  'without ledger, tree, signatures': { settings: { ...UNSEALED, ...MAC }, onStarted: stopLedger },
  'without any of these': { settings: UNSEALED, onStarted: stopLedger },
};

/**
 * What ledger, tree, signatures and macs cost a create: the service as it is beside itself without them. A ratio is the
 * share of the requests that is left.
 */
export const costOfHistory = (lengths: Lengths): Promise<ReadonlyArray<Row>> =>
  withEnds(async (ends) => {
    const postgres = await startPostgres(ends);
    const rows: Array<Row> = [];
    for (const [limitIs, limit] of Object.entries(WITHOUT)) {
      const create = { name: 'create', connections: 64, limitIs, request: () => createRequest };
      rows.push(...(await compareVariants(postgres, { service: ALL, limit }, [create], { ...lengths, businesses: 0 })));
    }
    return rows;
  });
