import type { Random } from '../../src/event-sourcing/random.js';
import { asWritten, checkErased } from './at-rest/erased.js';
import { checkMetrics } from './at-rest/metrics.js';
import { readAgain } from './at-rest/read-again.js';
import { checkUndone } from './at-rest/undone.js';
import { checkFiles, checkLog, checkRows } from './at-rest/verify-log.js';
import { toldFaults } from './checks/told.js';
import type { Client } from './clients/client.js';
import type { Told } from './clients/told.js';
import type { Cluster } from './cluster.js';
import type { Notebook } from './notebook.js';
import type { Shared } from './service.js';
import type { World } from './world.js';

type AtRest = {
  readonly world: World;
  readonly cluster: Cluster;
  readonly shared: Shared;
  readonly notes: Notebook;
  readonly random: Random;
  readonly told: Told;
};

/** Everything is as clients were told, and fits together. Nothing is away any more. */
export const checkAtRest = async ({ shared, ...place }: AtRest): Promise<void> => {
  const { cluster, notes, random, told } = place;
  const client: Client = { ...place, who: 'at rest', keys: [], meanwhile: [], nextMark: () => 'at rest' };
  const services = cluster.running();
  const ledger = await readAgain(client, services);
  await checkUndone(client, services, ledger);
  await checkMetrics(client, services);
  const noted = shared.erasures?.noted() ?? [];
  const written = await asWritten(shared, ledger);
  for (const fault of toldFaults(told, ledger, { noted, written })) notes.breaks(fault);
  await checkErased(client, services, shared, written);
  await checkRows(shared, notes);
  await checkLog(shared, cluster.checkpointKey, told.kept, random, notes);
  await checkFiles(shared, notes);
};
