/**
 * What the service's memory comes to while it does the two things that tempt a service to hold much of it: taking a
 * large file, and listing everything. `npm run bench:memory`; figures, no pass or fail.
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

const MIB = 1024 * 1024;
const UPLOAD_MIB = 500;
const BUSINESSES = 100_000;
const CLIENTS = 64;

function* form(boundary: string): Generator<Buffer | string> {
  yield `--${boundary}\r\nContent-Disposition: form-data; name="name"\r\n\r\nlarge\r\n`;
  yield `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n`;
  yield 'Content-Type: application/octet-stream\r\n\r\n';
  const chunk = Buffer.alloc(MIB, 'a large file ');
  for (let count = 0; count < UPLOAD_MIB; count++) yield chunk;
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
    while (created < BUSINESSES)
      await api.json('POST', '/business', { name: `business ${created++}`, ein: '12-3456789' });
  };
  await Promise.all(Array.from({ length: CLIENTS }, work));
};

const listAll = async (address: string, token: string): Promise<number> => {
  const response = await makeApi(address, token).send('GET', '/business');
  let bytes = 0;
  // reason: a 200 of the list has a body
  for await (const chunk of response.body as ReadableStream<Uint8Array>) bytes += chunk.length;
  return bytes;
};

const dataDir = await mkdtemp(path.join(tmpdir(), 'memory-'));
const service = await startBuiltService(dataDir, { MAX_UPLOAD_BYTES: String(1024 * MIB) });
const token = await tokenFor('admin', 'alice');
const report = (what: string): void =>
  console.log(
    `${what}: ${residentMib(service.pid, 'VmRSS')} MiB now, ${residentMib(service.pid, 'VmHWM')} MiB at most so far`,
  );

report('started');
await upload(service.address, token);
report(`took a file of ${UPLOAD_MIB} MiB`);
await createAll(service.address, token);
report(`created ${BUSINESSES} businesses with ${CLIENTS} clients`);
const began = performance.now();
const bytes = await listAll(service.address, token);
report(`listed them (${Math.round(bytes / MIB)} MiB in ${Math.round(performance.now() - began)} ms)`);
await service.stop();
await rm(dataDir, { recursive: true });
