/**
 * What watchers of the events cost: the service's memory with so many feeds that wait, and how long an event takes to
 * all of them. `npm run bench:feeds`; with `--watchers`, `--events`, `--replay` (how many of 200 events each is given first)
 * and `--json`. Figures, no pass or fail.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeApi } from '../support/api.js';
import { tokenFor } from '../support/service-process.js';
import { startBuiltService } from './built-service.js';
import { residentMib } from './processes.js';
import { readOptions } from './read-options.js';
import { type Column, note, printReport } from './report.js';

const values = readOptions({
  watchers: { type: 'string', default: '1000' },
  events: { type: 'string', default: '20' },
  replay: { type: 'string', default: '0' },
  json: { type: 'boolean', default: false },
});
const { json } = values;
const [watchers, events, replay] = [Number(values.watchers), Number(values.events), Number(values.replay)];

/** Events that are there before anybody watches. */
const BEFORE = 200;

/** Time, ms, after which memory that a burst took has been given back. */
const REST_MS = 20_000;

/** Each feed has a connection of its own. */
const agent = new Agent({ keepAlive: false, maxSockets: Infinity });

const watch = (address: string, token: string, onText: (text: string) => void): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
    request(`${address}/audit/v1/events?after=${BEFORE - 1 - replay}`, { agent, headers }, (response) => {
      if (response.statusCode === 200) resolve(response.setEncoding('utf8').on('data', onText));
      else reject(new Error(`a feed is ${String(response.statusCode)}`));
    })
      .on('error', reject)
      .end();
  });

type Row = { readonly what: string; readonly mib: number; readonly peakMib: number };

const COLUMNS: ReadonlyArray<Column<Row>> = [
  ['the service has', ({ what }) => what],
  ['MiB then', ({ mib }) => String(mib)],
  ['MiB at most so far', ({ peakMib }) => String(peakMib)],
];

const dataDir = await mkdtemp(path.join(tmpdir(), 'feeds-'));
const service = await startBuiltService(
  dataDir,
  { MAX_CONNECTIONS: String(2 * watchers) },
  { openFiles: 8 * watchers },
);
try {
  const token = await tokenFor('admin', 'alice');
  const api = makeApi(service.address, token);
  const rows: Array<Row> = [];
  const add = (what: string): void => {
    rows.push({ what, mib: residentMib(service.pid, 'VmRSS'), peakMib: residentMib(service.pid, 'VmHWM') });
    note(`${what}: ${rows.at(-1)?.mib} MiB`);
  };
  const create = async (n: number): Promise<void> => {
    await api.json('POST', '/business', { name: `business ${n}` });
  };

  let caughtUp = 0;
  let seen = 0;
  let onAll = (): void => undefined;
  const onText = (text: string): void => {
    caughtUp += text.split('event: caught-up').length - 1;
    seen += text.split('\nid: ').length - 1 + (text.startsWith('id: ') ? 1 : 0);
    if (seen >= watchers) onAll();
  };

  for (let n = 0; n < BEFORE; n += 1) await create(n);
  (await watch(service.address, token, () => undefined)).destroy();
  await delay(REST_MS);
  add(`${BEFORE} businesses, and had one feed`);
  const idle = rows[0]?.mib ?? 0;

  const feeds: Array<IncomingMessage> = [];
  while (feeds.length < watchers) {
    const opening = Array.from({ length: Math.min(20, watchers - feeds.length) }, () =>
      watch(service.address, token, onText),
    );
    feeds.push(...(await Promise.all(opening)));
  }
  while (caughtUp < watchers) await delay(10);
  add(`${watchers.toLocaleString('en')} feeds, just opened`);
  await delay(REST_MS);
  add(`${watchers.toLocaleString('en')} feeds that wait`);
  const waiting = rows.at(-1)?.mib ?? 0;

  const times: Array<number> = [];
  for (let n = 0; n < events; n += 1) {
    seen = 0;
    const all = new Promise<void>((resolve) => (onAll = resolve));
    await create(n);
    const began = performance.now();
    await all;
    times.push(performance.now() - began);
  }
  add(`given ${events} events to each of them`);
  const [least = 0, most = 0] = [Math.min(...times), Math.max(...times)].map(Math.round);
  const figures = { watchersMib: waiting - idle, leastMs: least, mostMs: most };
  const remarks = [
    `${watchers.toLocaleString('en')} feeds that wait take ${waiting - idle} MiB.`,
    `From the answer to a create until each of them has its event: ${least} to ${most} ms.`,
  ];
  printReport(
    { command: 'bench:feeds', options: { watchers, events, replay, json } },
    { rows, columns: COLUMNS, figures, remarks },
  );
  for (const feed of feeds) feed.destroy();
} finally {
  await service.stop();
  await rm(dataDir, { recursive: true });
}
