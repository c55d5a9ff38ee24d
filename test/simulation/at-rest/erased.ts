import { ledgerOf, registry } from '../../../src/entities/registry.js';
import { categoryOf } from '../../../src/event-sourcing/recorded-event.js';
import { isCoveredBy } from '../checks/erased.js';
import { historiesOf } from '../checks/histories.js';
import { askOnce, type Client } from '../clients/client.js';
import { PATHS } from '../clients/reading.js';
import type { LedgerEvent } from '../checks/states.js';
import type { Service, Shared } from '../service.js';

/** A ledger as it would be if nothing had been erased. */
export const asWritten = async (
  { store, erasures }: Shared,
  ledger: ReadonlyArray<LedgerEvent>,
): Promise<ReadonlyArray<LedgerEvent>> => {
  if (erasures === undefined) return ledger;
  const kinds = new Map(ledgerOf(registry).kinds.map((kind) => [kind.category, kind]));
  const log = await erasures.open(store, 'it was written');
  const written = new Map<string, object>();
  for await (const { events } of log.readAll({ after: 'start' }))
    for (const event of events) {
      const record = kinds.get(categoryOf(event.stream))?.recordOf(event);
      if (record === undefined) continue;
      const { entity, revision, body } = record;
      // reason: it is a JSON object
      written.set(`${entity} ${revision}`, JSON.parse(body) as object);
    }
  return ledger.map((event) => ({ ...event, ...written.get(`${event.entity} ${event.revision}`) }));
};

/** Nobody is given anything of a record that is erased, and no command is carried out on it. */
const checkGone = async (client: Client, service: Service, path: string, revisions: number): Promise<void> => {
  const each = Array.from({ length: revisions }, (_, revision) => `?revision=${revision}`);
  const files = path.startsWith(PATHS.Document) ? ['', ...each].map((which) => `/file${which}`) : [];
  const asked = [
    ...['', ...each, ...files].map((which) => ({ method: 'GET', path: `${path}${which}` })),
    { method: 'PUT', path, body: { name: 'again' } },
    { method: 'POST', path: `${path}/restore` },
    { method: 'DELETE', path },
  ];
  for (const request of asked) {
    const answered = await askOnce(client, request, service);
    if (answered?.answer.status !== 404)
      client.notes.breaks(
        `${request.method} ${request.path} of what is erased was answered ${answered?.answer.status}`,
      );
  }
};

/** What each command has written of its own, in names, titles, reasons. */
const MARK = /client \d+ \d+/g;

const marksIn = (text: string): ReadonlyArray<string> => [...text.matchAll(MARK)].map(([mark]) => mark);

/** Nothing of what was erased is in the rows of any generation, nor in the storage of files, and nobody is given it. */
export const checkErased = async (
  client: Client,
  services: ReadonlyArray<Service>,
  { erasures, texts, files }: Shared,
  written: ReadonlyArray<LedgerEvent>,
): Promise<void> => {
  if (erasures === undefined) return;
  const { notes } = client;
  const secrets = new Set<string>();
  for (const { record, kind, events, erasures: all } of historiesOf(written, erasures.noted()).values()) {
    for (const event of events)
      if (all.some((erasure) => isCoveredBy(erasure)(event)))
        for (const mark of marksIn(JSON.stringify(event))) secrets.add(mark);
    if (!all.some(({ events: of }) => of === 'all')) continue;
    notes.count(`at rest a ${kind.toLowerCase()} is erased`);
    const [service] = services;
    if (service !== undefined) await checkGone(client, service, `${PATHS[kind]}/${record}`, events.length);
    // of an upload that was refused later the sweep removes what could not be removed at once
    const named = JSON.stringify(events);
    for await (const { key } of files.list(`documents/${record}/`))
      if (named.includes(key)) notes.breaks(`${record} is erased, and ${key} is there`);
  }
  for (const text of await texts())
    for (const mark of marksIn(text))
      if (secrets.has(mark)) notes.breaks(`of ${mark}, which was erased, there is ${text}`);
};
