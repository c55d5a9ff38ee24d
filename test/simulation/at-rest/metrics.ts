import { askOnce, type Client } from '../clients/client.js';
import type { Service } from '../service.js';

/** What `/metrics` says when nothing is wrong, and nobody is served. */
const ZERO = [
  ...['http_feeds_open', 'readiness_warning', 'seal_faults_total', 'log_verification_faults_total'],
  ...['file_faults_total', 'projection_ahead_total', 'projection_drift_total', 'projection_lag_events'],
  ...['projection_parked_entities', 'projection_task_faults_total'],
];

/** Nothing is left of what was served, no alarm was raised, and one process writes the rows of each read model. */
export const checkMetrics = async (client: Client, services: ReadonlyArray<Service>): Promise<void> => {
  const writers: Record<string, number> = {};
  for (const service of services) {
    const asked = await askOnce(client, { method: 'GET', path: '/metrics' }, service);
    for (const line of asked?.answer.text.split('\n') ?? []) {
      const [, name = '', labels = '', value] = /^(\w+)(\{.*\})? (\S+)$/.exec(line) ?? [];
      if (ZERO.includes(name) && value !== '0') client.notes.breaks(`at rest ${line}`);
      if (name === 'readiness_check' && value !== '1') client.notes.breaks(`at rest ${line}`);
      if (name === 'projection_up') writers[labels] = (writers[labels] ?? 0) + Number(value);
    }
  }
  for (const [labels, many] of Object.entries(writers))
    if (many !== 1) client.notes.breaks(`at rest ${many} services write the rows of ${labels}`);
};
