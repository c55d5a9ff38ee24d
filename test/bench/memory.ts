/**
 * What the service's memory comes to while it does the two things that tempt a service to hold much of it: taking a
 * large file, and listing everything. `npm run bench:memory`; with `--mib` of the file, `--businesses`, `--clients` and
 * `--json`. Figures, no pass or fail.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeApi } from '../support/api.js';
import { tokenFor } from '../support/service-process.js';
import { startBuiltService } from './built-service.js';
import { residentMib } from './processes.js';
import { readOptions } from './read-options.js';
import { type Column, note, printReport } from './report.js';

const MIB = 1024 * 1024;

const values = readOptions({
  mib: { type: 'string', default: '500' },
  businesses: { type: 'string', default: '100000' },
  clients: { type: 'string', default: '64' },
  json: { type: 'boolean', default: false },
});
const { json } = values;
const [mib, businesses, clients] = [Number(values.mib), Number(values.businesses), Number(values.clients)];

function* form(boundary: string): Generator<Buffer | string> {
  yield `--${boundary}\r\nContent-Disposition: form-data; name="name"\r\n\r\nlarge\r\n`;
  yield `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n`;
  yield 'Content-Type: application/octet-stream\r\n\r\n';
  const chunk = Buffer.alloc(MIB, 'a large file ');
  for (let count = 0; count < mib; count++) yield chunk;
  yield `\r\n--${boundary}--\r\n`;
}

const upload = async (address: string, token: string): Promise<void> => {
  const boundary = 'boundary-of-a-large-form';
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': `multipart/form-data; boundary=${boundary}` };
  const sending = request(`${address}/api/v1/document`, { method: 'POST', headers });
  const status = new Promise((resolve) =>
    sending.once('response', (response) => resolve(response.resume().statusCode)),
  );
  await pipeline(form(boundary), sending);
  if ((await status) !== 200) throw new Error(`upload: ${String(await status)}`);
};

const createAll = async (address: string, token: string): Promise<void> => {
  const api = makeApi(address, token);
  let created = 0;
  const work = async (): Promise<void> => {
    while (created < businesses)
      await api.json('POST', '/business', { name: `business ${created++}`, ein: '12-3456789' });
  };
  await Promise.all(Array.from({ length: clients }, work));
};

const listAll = async (address: string, token: string): Promise<number> => {
  const response = await makeApi(address, token).send('GET', '/business');
  let bytes = 0;
  // reason: a 200 of the list has a body
  for await (const chunk of response.body as ReadableStream<Uint8Array>) bytes += chunk.length;
  return bytes;
};

/** What it did, and its resident memory afterwards: then, and the most since it was started. */
type Row = { readonly what: string; readonly seconds: number; readonly mib: number; readonly peakMib: number };

const COLUMNS: ReadonlyArray<Column<Row>> = [
  ['the service has', ({ what }) => what],
  ['in, s', ({ seconds }) => seconds.toFixed(1)],
  ['MiB then', (row) => String(row.mib)],
  ['MiB at most so far', ({ peakMib }) => String(peakMib)],
];

const dataDir = await mkdtemp(path.join(tmpdir(), 'memory-'));
const began = performance.now();
const service = await startBuiltService(dataDir, { MAX_UPLOAD_BYTES: String((mib + 1) * MIB) });
try {
  const token = await tokenFor('admin', 'alice');
  const rows: Array<Row> = [];
  let last = began;
  const add = (what: string): void => {
    const [now, peakMib] = [performance.now(), residentMib(service.pid, 'VmHWM')];
    rows.push({ what, seconds: (now - last) / 1_000, mib: residentMib(service.pid, 'VmRSS'), peakMib });
    note(`${what}: at most ${peakMib} MiB so far`);
    last = now;
  };
  add('started');
  await upload(service.address, token);
  add(`taken a file of ${mib} MiB`);
  await createAll(service.address, token);
  add(`created ${businesses.toLocaleString('en')} businesses for ${clients} clients`);
  const bytes = await listAll(service.address, token);
  add(`listed them, ${Math.round(bytes / MIB)} MiB`);
  printReport({ command: 'bench:memory', options: { mib, businesses, clients, json } }, { rows, columns: COLUMNS });
} finally {
  await service.stop();
  await rm(dataDir, { recursive: true });
}
