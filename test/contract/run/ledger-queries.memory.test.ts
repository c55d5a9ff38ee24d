import { ledgerOf, registry } from '../../../src/entities/registry.js';
import { makeManualClock } from '../../support/manual-clock.js';
import { makeMemoryReadModels } from '../../support/memory-read-models.js';
import { makeMemorySeal } from '../../support/memory-seal.js';
import { makeMemoryStorage } from '../../support/memory-storage/memory-storage.js';
import { ledgerQueriesContract } from '../ledger-queries.contract.js';

const LAST = 10_000n;

ledgerQueriesContract('over rows in memory', async (rows) => {
  const clock = makeManualClock();
  const storage = makeMemoryStorage({ clock });
  const ledger = ledgerOf(registry);
  await storage.migrate();
  const made = await storage.change(ledger, () => ({
    create: { role: 'live', logIdentity: 'log', isRebuild: false, skips: 0, holder: 'writer' },
  }));
  const [generation, lease] = [made?.created, made?.leases[0]];
  if (generation === undefined || lease === undefined) throw new Error('no rows were made');
  const write = storage
    .ledgerRows({ projection: ledger, generation, lease, notifies: false })
    .prepare({ rows, tiles: [] });
  await write({ from: 'start', to: { commit: LAST, prepare: LAST }, last: undefined });
  const seal = makeMemorySeal(clock, storage);
  const queries = makeMemoryReadModels({ storage, seal }).ofLedger(ledger);
  return { queries, close: () => Promise.resolve() };
});
