import { isDeepStrictEqual } from 'node:util';
import { historiesOf, withoutIndex } from '../checks/histories.js';
import { LEDGER, ledgerIn } from '../clients/auditing.js';
import { askOnce, type Client } from '../clients/client.js';
import { listAll } from '../clients/listing.js';
import { eventsIn, PATHS } from '../clients/reading.js';
import { seenOf } from '../clients/seen.js';
import type { LedgerEvent } from '../checks/states.js';
import type { Service } from '../service.js';

/** Reads everything again, from each service: nothing is away, so each answers. */
export const readAgain = async (
  client: Client,
  services: ReadonlyArray<Service>,
): Promise<ReadonlyArray<LedgerEvent>> => {
  const { told, notes } = client;
  const ask = async (path: string, service: Service | undefined) => {
    const asked = await askOnce(client, { method: 'GET', path }, service);
    if (asked?.answer.status === 200 || asked?.answer.status === 404) return asked;
    notes.breaks(`at rest GET ${path} was answered ${asked?.answer.text ?? 'by nobody'}`);
    return undefined;
  };
  const ledgers = [];
  for (const service of services) ledgers.push(await ask(LEDGER, service));
  const [first, ...others] = ledgers.map((asked) => (asked === undefined ? [] : ledgerIn(asked)));
  const ledger = first ?? [];
  if (others.some((other) => !isDeepStrictEqual(other, ledger))) notes.breaks('services show different ledgers');
  if (ledger.some(({ index }, place) => index !== place)) notes.breaks('the ledger has a gap');
  for (const [place, { record, kind, events }] of [...historiesOf(ledger).values()].entries()) {
    const path = `${PATHS[kind]}/${record}`;
    const [one, other] = [services[place % services.length], services[(place + 1) % services.length]];
    const history = await ask(`${path}/events`, one);
    if (history !== undefined && !isDeepStrictEqual(eventsIn(history), events.map(withoutIndex)))
      notes.breaks(`${path}/events is not what the ledger has of it`);
    const read = await ask(path, other);
    if (read !== undefined)
      told.reads.push({ ...read, record, of: 'Record', where: `at rest GET ${path}`, ...seenOf(read) });
  }
  for (const service of services)
    for (const kind of ['Business', 'Document'] as const) {
      const listed = await listAll({ ...client, cluster: { ...client.cluster, running: () => [service] } }, kind);
      if (listed?.of === 'Old') notes.breaks(`at rest ${listed.where} may lack what came last`);
      if (listed !== undefined) told.lists.push({ ...listed, of: 'Log', where: `at rest ${listed.where}` });
    }
  return ledger;
};
