import { makeLedgerCheck } from '../../projections/engine/verify/ledger/ledger-check.js';
import { makeLedgerSource } from '../../projections/engine/verify/ledger/ledger-source.js';
import { verifyRows } from '../../projections/engine/verify/verify-rows.js';
import { ledgerOf, projectionsOf, registry } from '../../src/entities/registry.js';
import type { Acknowledged } from './clients.js';
import type { Cluster } from './cluster.js';
import type { Notebook } from './notebook.js';
import type { Shared } from './service.js';

// reason: events of a business
const eventsIn = (text: string) =>
  JSON.parse(text) as ReadonlyArray<{
    readonly data: { readonly name?: string; readonly changes?: { name?: string } };
  }>;

/** Each acknowledged change is in the history once, in its order, and nothing else is. */
export const checkHistories = async (
  cluster: Cluster,
  acknowledged: ReadonlyArray<Acknowledged>,
  { breaks }: Notebook,
): Promise<void> => {
  for (const { id, names } of acknowledged)
    for (const [number, service] of cluster.running().entries()) {
      const { status, text } = await service.ask('GET', `/api/v1/business/${id}/events`);
      const found = status === 200 ? eventsIn(text).map(({ data }) => data.name ?? data.changes?.name) : [status];
      if (found.join() !== names.join()) breaks(`service ${number} has ${found.join()} of ${id}, not ${names.join()}`);
    }
};

/** Rows are the fold of the log, and the ledger is the log. */
export const checkRows = async ({ store, storage }: Shared, { breaks }: Notebook): Promise<void> => {
  for (const projection of projectionsOf(registry))
    await verifyRows(storage, store, projection, {
      sample: undefined,
      onDrift: ({ stream, kind, fields }) => {
        breaks(`${stream} ${kind} ${fields.join()}`);
        return Promise.resolve();
      },
      onChecked: () => undefined,
      signal: new AbortController().signal,
    });
  const ledger = ledgerOf(registry);
  const source = makeLedgerSource(storage, ledger);
  const onFault = ({ kind }: { readonly kind: string }): void => breaks(`the ledger: ${kind}`);
  const check = await makeLedgerCheck({ store, ledger, source, onFault });
  for await (const { events } of store.readAll({ after: 'start' })) await check.take(events);
  await check.end();
};
