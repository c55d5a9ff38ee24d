import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { renderSigner, signerOf } from '../../src/seal/note-key.js';
import { type Api, makeApi } from '../support/api.js';
import { type ComposedService, startComposed } from '../support/composed-service.js';
import { encryptedInstallation } from '../support/encrypted-installation.js';
import { outputOfOperator } from '../support/operator.js';
import { right } from '../support/sealed-tree.js';
import { type ServiceProcess, startService, tokenFor } from '../support/service-process.js';
import { LIFT_GUARD, PUT_GUARD_BACK } from '../support/tamper.js';
import { untilSigned } from '../support/until-signed.js';
import { uploadDocument } from '../support/upload-document.js';
import type { HistoryEvent } from './history.js';
import { places, runSql } from './places.js';

/** Is in everything that is erased, and in nothing else. */
export const MARKER = 'Zweihundertachtzig Grad';

/** Where events are in the history: of two businesses, of an owner of both, of a document, and of the erasures of these. */
export const AT = {
  ...{ one: 1, two: 2, ownerOfOne: 3, document: 6 },
  ...{ ownerBegun: 7, oneErased: 8, documentBegun: 10, documentErased: 11 },
} as const;
/** Events before the erasures, and in all. */
const [EARLIER, ALL] = [7, 13] as const;

type Answer = { readonly status: number; readonly text: string };
type Ids = Readonly<Record<'one' | 'two' | 'document', string>>;

/** What somebody took home before the erasures. */
type Taken = {
  readonly exported: ReadonlyArray<string>;
  readonly checkpoint: string;
  readonly key: string;
  /** That the event about the owner is in the log. */
  readonly proof: Buffer;
  /** The path of an audit pack. */
  readonly pack: string;
};

/** What was kept of a service that erased an owner of two businesses, and a document, and was stopped. */
export type ErasedService = {
  readonly env: Readonly<Record<string, string>>;
  readonly ids: Ids;
  readonly history: ReadonlyArray<HistoryEvent>;
  readonly taken: Taken;
  /** What another process answered when it woke, which was frozen while that was erased. */
  readonly woken: ReadonlyArray<Answer>;
  /** The histories as that one answered them. */
  readonly shown: string;
  /** The tables of the read models: of the ledger that was live until it was built anew, too. */
  readonly tables: Readonly<Record<'businesses' | 'documents' | 'ledger' | 'ledger before', string>>;
  /** What `look` finds after these statements on the log, which is put back. */
  readonly inLog: <A>(change: ReadonlyArray<string>, look: () => Promise<A>) => Promise<A>;
  /** The same, of one on another table. As it was before the erasures, each has a copy of its name in the schema `before`. */
  readonly inTable: <A>(table: string, change: string, look: () => Promise<A>) => Promise<A>;
  readonly discard: () => Promise<void>;
};

/** The database of these settings. */
export const databaseOf = (env: ErasedService['env']): string => env['DATABASE_URL'] ?? '';

const answered = async (answer: Promise<Response>): Promise<Answer> => {
  const { status } = await answer;
  return { status, text: await (await answer).text() };
};

const fill = async (api: Api, address: string): Promise<Ids> => {
  const create = async (name: string): Promise<string> =>
    (await api.json<{ readonly _id: string }>('POST', '/business', { name }))._id;
  const [one, two] = [await create('one'), await create('two')];
  for (const id of [one, two]) await api.json('POST', `/business/${id}/owner`, { user: 'john', title: MARKER });
  await api.json('POST', `/business/${one}/owner`, { user: 'ann' });
  return { one, two, document: await uploadDocument(address, MARKER, MARKER) };
};

const tablesIn = async (url: string): Promise<ErasedService['tables']> => {
  const { rows } = await runSql(url, 'select projection, role, table_name as name from read_model.instance');
  // reason: the columns are those
  const found = rows as ReadonlyArray<Readonly<Record<'projection' | 'role' | 'name', string>>>;
  const nameOf = (projection: string, role: string): string =>
    found.find((one) => one.projection === projection && one.role === role)?.name ?? '';
  return {
    businesses: nameOf('businesses', 'live'),
    documents: nameOf('documents', 'live'),
    ledger: nameOf('ledger', 'live'),
    'ledger before': nameOf('ledger', 'previous'),
  };
};

const take = async (
  { address }: ComposedService,
  env: Record<string, string>,
  { one, document }: Ids,
): Promise<Taken> => {
  const pack = path.join(env['DATA_DIR'] ?? '', 'before.zip');
  await outputOfOperator(['audit', 'pack', `business/${one}`, `document/${document}`, '--out', pack], env);
  const headers = { Authorization: `Bearer ${await tokenFor('auditor', 'ann')}` };
  const proof = await fetch(`${address}/audit/v1/events/${AT.ownerOfOne}/proof`, { headers });
  return {
    exported: (await outputOfOperator(['log', 'export'], env)).split('\n'),
    checkpoint: await (await fetch(`${address}/tlog/checkpoint`)).text(),
    key: (await outputOfOperator(['log', 'key'], env)).trim(),
    proof: Buffer.from(await proof.arrayBuffer()),
    pack,
  };
};

const LOG = 'event_log.event';

const tampering = (url: string): Pick<ErasedService, 'inLog' | 'inTable'> => ({
  inLog: async (change, look) => {
    await runSql(url, `create table before.kept as table ${LOG}`, LIFT_GUARD, ...change, PUT_GUARD_BACK);
    try {
      return await look();
    } finally {
      await runSql(
        url,
        ...[LIFT_GUARD, `truncate ${LOG}`, `insert into ${LOG} table before.kept`],
        ...[PUT_GUARD_BACK, 'drop table before.kept'],
      );
    }
  },
  inTable: async (table, change, look) => {
    await runSql(url, `create table before.kept as table ${table}`, change);
    try {
      return await look();
    } finally {
      await runSql(url, `delete from ${table}`, `insert into ${table} table before.kept`, 'drop table before.kept');
    }
  },
});

/** A service with two generations of the ledger, and what became of it when it erased what it has of an owner, and a document. */
export const openErasedService = async (): Promise<ErasedService> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'erased-'));
  const signer = right(signerOf('log.example.com/erased', Buffer.alloc(32, 7)));
  const env = { ...(await encryptedInstallation(dataDir)), CHECKPOINT_KEY: renderSigner(signer) };
  const url = databaseOf(env);
  const service = await startComposed({ dataDir, env });
  let frozen: ServiceProcess | undefined;
  try {
    frozen = await startService({ dataDir, env: { ...env, API_ONLY: 'true' } });
    const token = await tokenFor('admin', 'alice');
    const [api, stale] = [makeApi(service.address, token), makeApi(frozen.address, token)];
    const ids = await fill(api, service.address);
    const { one, two, document } = ids;
    await untilSigned(service, EARLIER);
    await outputOfOperator(['projections', 'rebuild', 'ledger'], env);
    const taken = await take(service, env, ids);
    const tables = await tablesIn(url);
    await runSql(
      url,
      ...['create schema before', 'create table before.key_tree as table erasure.key_tree'],
      ...Object.values(tables).map((name) => `create table before.${name} as table read_model.${name}`),
    );
    const histories = async (): Promise<string> => {
      const asked = [`/business/${one}`, `/business/${two}`, `/document/${document}`];
      const answers = await Promise.all(asked.map((record) => answered(stale.send('GET', `${record}/events`))));
      return answers.map(({ text }) => text).join('\n');
    };
    if ((await histories()).split(MARKER).length !== 4) throw new Error('it does not remember what will be erased');
    frozen.kill('SIGSTOP');
    for (const subject of ['owner/john', `document/${document}`])
      await outputOfOperator(['erase', 'run', subject, '--basis', 'ticket 1', '--user', 'dpo', '--yes'], env);
    const asked = [
      stale.send('PUT', `/business/${one}/owner/john`, { title: MARKER }),
      stale.send('PUT', `/document/${document}`, { name: MARKER }),
      stale.send('GET', `/business/${one}`),
      stale.send('GET', `/document/${document}`),
      stale.send('GET', `/document/${document}/file`),
    ].map(answered);
    const shown = histories();
    frozen.kill('SIGCONT');
    const woken = await Promise.all(asked);
    await api.json('PUT', `/business/${two}`, { city: 'Ulm' });
    await untilSigned(service, ALL);
    const discard = (): Promise<void> => rm(dataDir, { recursive: true });
    const history = await (await places.Postgres()).read(url);
    return { ...{ env, ids, history, taken, woken, shown: await shown, tables }, ...tampering(url), discard };
  } finally {
    frozen?.kill('SIGKILL');
    await frozen?.exited;
    await service.stop();
  }
};
