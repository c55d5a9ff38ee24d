import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { makeApi } from '../support/api.js';
import { eventually } from '../support/eventually.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase } from '../support/postgres.js';
import { type ServiceProcess, startService, tokenFor } from '../support/service-process.js';
import type { HistoryEvent } from './history.js';
import { type Place, runSql } from './places.js';

export const EVENT_KEY = 'the event key of a service that is tampered with';
export const ORIGIN = 'log.example.com/tampering';

/** When to give up waiting for what a service says of its seal: one that begins anew makes its rows before. */
export const LONG_ENOUGH_MS = 60_000;

type Settings = Readonly<Record<string, string>>;

/** A database and a data directory, of which each test gets copies. */
export type Kept = { readonly url: string; readonly dataDir: string };

/** What was kept of a service that ran and was stopped. */
export type SealedService = {
  readonly settings: Settings;
  readonly key: string;
  readonly history: ReadonlyArray<HistoryEvent>;
  readonly now: Kept;
  /** As it was when the first events were sealed: a backup. */
  readonly earlier: Awaited<ReturnType<typeof copied>> & { readonly events: number };
  /** Streams of two businesses, of which the second was created second, and of two documents with files. */
  readonly streams: {
    readonly first: string;
    readonly second: string;
    readonly document: string;
    readonly other: string;
  };
  /** What an auditor kept at home: the checkpoint over all events. */
  readonly checkpoint: string;
  /** What the API answered about the first business, with proofs. */
  readonly answer: string;
};

const withDatabase = (url: string, name: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href;

/** A copy of a database and its directory, as somebody finds them who is about to change them. */
export const copied = async ({ url, dataDir }: Kept): Promise<Kept & { readonly discard: () => Promise<void> }> => {
  const template = new URL(url).pathname.slice(1);
  const name = `copy_${randomUUID().replaceAll('-', '')}`;
  const server = withDatabase(url, 'postgres');
  await runSql(server, `create database ${name} template ${template}`);
  const directory = await mkdtemp(path.join(tmpdir(), 'tampered-'));
  await cp(dataDir, directory, { recursive: true });
  return {
    url: withDatabase(url, name),
    dataDir: directory,
    discard: async () => {
      await runSql(server, `drop database ${name} with (force)`);
      await rm(directory, { recursive: true });
    },
  };
};

const settingsOf = async (place: Place): Promise<Settings> => {
  const { stdout } = await runOperator(['log', 'new-key', ORIGIN]);
  return { ...place.settings, EVENT_KEY, CHECKPOINT_KEY: stdout.trim() };
};

/** Runs a service and gives its address; `kill` stops it in order. */
export const running = async (settings: Settings, { url, dataDir }: Kept): Promise<ServiceProcess> =>
  startService({ dataDir, env: { ...settings, DATABASE_URL: url } });

export const stopped = async ({ kill, exited }: ServiceProcess): Promise<void> => {
  kill('SIGTERM');
  expect(await exited).to.equal(0);
};

export const newestCheckpoint = async (url: string, size: number): Promise<string> => {
  const read = async (): Promise<{ readonly size: string; readonly note: string } | undefined> => {
    const { rows } = await runSql(url, 'select size, note from seal.checkpoint order by number desc limit 1');
    return (rows as ReadonlyArray<{ readonly size: string; readonly note: string }>)[0]; // reason: the columns are those
  };
  // polls: of the database, only the URL is known here
  const newest = await eventually(
    () => read().catch(() => undefined),
    (found) => found?.size === String(size),
    LONG_ENOUGH_MS,
  );
  expect(newest?.size).to.equal(String(size));
  return newest?.note ?? '';
};

/** Ten events of two businesses and two documents; the last four are those of updates. */
const makeSealedService = async (place: Place): Promise<SealedService> => {
  const settings = await settingsOf(place);
  const now = { url: await freshDatabase(), dataDir: await mkdtemp(path.join(tmpdir(), 'sealed-')) };
  let service = await running(settings, now);
  let token = await tokenFor('admin', 'alice');
  let api = makeApi(service.address, token);
  const business = async (name: string) =>
    (await api.json<{ readonly _id: string }>('POST', '/business', { name }))._id;
  const document = async (name: string): Promise<string> => {
    const body = new FormData();
    body.append('name', name);
    body.append('file', new Blob([`the content of ${name}\n`]), `${name}.txt`);
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${service.address}/api/v1/document`, { method: 'POST', headers, body });
    return ((await response.json()) as { readonly _id: string })._id; // reason: what a create answers
  };
  const [first, second] = [await business('first'), await business('second')];
  const [one, other] = [await document('articles'), await document('minutes')];
  await newestCheckpoint(now.url, 4);
  await stopped(service);
  const earlier = await copied(now);

  service = await running(settings, now);
  token = await tokenFor('admin', 'bob');
  api = makeApi(service.address, token);
  for (const phone of ['1', '2', '3']) await api.json('PUT', `/business/${first}`, { phone });
  for (const phone of ['4', '5']) await api.json('PUT', `/business/${second}`, { phone });
  await api.json('PUT', `/business/${first}`, { phone: '6' });
  const checkpoint = await newestCheckpoint(now.url, 10);
  const answer = await (await api.send('GET', `/business/${first}/events?proof=true`)).text();
  await stopped(service);
  const { stdout: key } = await runOperator(['log', 'key'], {
    env: { ...settings, DATABASE_URL: now.url, DATA_DIR: now.dataDir },
  });
  return {
    ...{ settings, key: key.trim(), now, checkpoint, answer },
    earlier: { ...earlier, events: 4 },
    history: await place.read(now.url),
    streams: {
      first: `business-${first}`,
      second: `business-${second}`,
      document: `document-${one}`,
      other: `document-${other}`,
    },
  };
};

/** A service in a place, for all tests of a suite, which close it by `discard`. */
export const openSealedService = async (openPlace: () => Promise<Place>) => {
  const place = await openPlace();
  const service = await makeSealedService(place);
  const discard = async (): Promise<void> => {
    place.close();
    await rm(service.now.dataDir, { recursive: true });
    await service.earlier.discard();
  };
  return { place, service, discard };
};

/** A copy of a service with its whole log, as somebody finds it who is about to change it. */
export const copiedIn = async (
  place: Place,
  { now, history }: Pick<SealedService, 'now' | 'history'>,
): Promise<Awaited<ReturnType<typeof copied>>> => {
  const copy = await copied(now);
  await place.write(copy.url, history);
  return copy;
};
