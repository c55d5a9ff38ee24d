import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { ENTITY } from '../../../projections/engine/postgres/schema/ledger-table.js';
import { makeApi } from '../../support/api.js';
import type { LoadGenerator, LoadResult } from '../measure/load.js';
import { median } from '../report.js';
import { createRequest } from '../speed/cases.js';

const CONNECTIONS = 64;
const SECONDS = 10;

/** A create of our own each so many ms, however long the ones before it take. */
const EACH_MS = 100;

/** Between two looks at the ledger: the lag is measured to about so many ms. */
const LOOK_MS = 5;

/** Everything has to be in the ledger so many ms after the load. */
const END_MS = 60_000;

type Lag = {
  readonly load: LoadResult;
  /** From the answer to a create until its event is in the ledger. */
  readonly medianMs: number;
  readonly mostMs: number;
  readonly samples: number;
  /** Events of the log that were not in the ledger, at most. */
  readonly eventsBehind: number;
};

const BEHIND = `select (select position from event_log.head)
  - (select coalesce(max(idx) + 1, 0) from read_model.ledger) as events`;
const FOUND = `select entity from read_model.ledger where ${ENTITY} = any($1::text[])`;

/** Measures how long the events of creates are not yet in the ledger, while other connections create all the time. */
export const measureLag = async (
  client: pg.Client,
  generator: LoadGenerator,
  { address, token }: { readonly address: string; readonly token: string },
): Promise<Lag> => {
  const api = makeApi(address, token);
  /** By the id of a business: when its create was answered. */
  const waiting = new Map<string, number>();
  const lags: Array<number> = [];
  let eventsBehind = 0;
  let isCreating = true;

  const create = async (): Promise<void> => {
    const { _id } = await api.json<{ readonly _id: string }>('POST', '/business', { name: 'a probe' });
    waiting.set(_id, performance.now());
  };

  const createRepeatedly = async (): Promise<void> => {
    const creates: Array<Promise<void>> = [];
    for (let ms = 0; ms < SECONDS * 1_000; ms += EACH_MS) {
      creates.push(create());
      await delay(EACH_MS);
    }
    await Promise.all(creates);
  };

  const look = async (): Promise<void> => {
    const { rows } = await client.query<{ readonly events: string }>(BEHIND);
    eventsBehind = Math.max(eventsBehind, Number(rows[0]?.events));
    const found = await client.query<{ readonly entity: string }>(FOUND, [[...waiting.keys()]]);
    const now = performance.now();
    for (const { entity } of found.rows) {
      lags.push(now - (waiting.get(entity) ?? NaN));
      waiting.delete(entity);
    }
  };

  const lookRepeatedly = async (): Promise<void> => {
    let end = Infinity;
    while (isCreating || waiting.size > 0) {
      await look();
      if (!isCreating) end = Math.min(end, performance.now() + END_MS);
      if (performance.now() > end) throw new Error(`${waiting.size} events did not come into the ledger`);
      await delay(LOOK_MS);
    }
  };

  const run = generator.run({
    sendsBusiness: true,
    ...createRequest,
    port: Number(new URL(address).port),
    headers: { Authorization: `Bearer ${token}` },
    connections: CONNECTIONS,
    length: { seconds: SECONDS },
  });
  const creating = createRepeatedly().finally(() => (isCreating = false));
  const [load] = await Promise.all([run, creating, lookRepeatedly()]);
  return { load, medianMs: median(lags), mostMs: Math.max(...lags), samples: lags.length, eventsBehind };
};
