import { either as E } from 'fp-ts';
import { categoriesOf } from '../../../projections/read-model.js';
import { ledgerOf } from '../../entities/registry.js';
import { counted } from '../plural.js';
import { type GenerationLine, toLine } from '../projections/generation-line.js';
import type { ReadModels } from '../projections/with-read-models.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

/** How long a ledger that a service writes may take to show the newest events, and how often it is looked at, ms. */
const LEDGER_TIMEOUT_MS = 3_000;
const POLL_MS = 100;

const NO_LEDGER = 'there is no ledger yet: a service that runs makes it, and so does: ops projections rebuild ledger';

const lineOfLive = async ({ store, storage, registry }: ReadModels): Promise<GenerationLine | undefined> => {
  const ledger = ledgerOf(registry);
  const statuses = await storage.statuses();
  const live = statuses.find(({ projection, role }) => projection === ledger.name && role === 'live');
  return live && toLine(store, categoriesOf(ledger), live, undefined);
};

const missingIn = ({ lagEvents, leader }: GenerationLine): string | undefined => {
  if (lagEvents === null || lagEvents === 0) return undefined;
  const missing = `not in the ledger yet: ${counted(lagEvents, 'event')} of the log`;
  return leader === null ? `${missing}; no service is running that adds what is missing` : missing;
};

/** Left: why the ledger cannot be read. Right: what it lacks of the log, if anything, in a sentence. */
export const stateOfLedger = async (
  readModels: ReadModels,
  signal: AbortSignal,
): Promise<E.Either<string, string | undefined>> => {
  if (!(await readModels.storage.isMigrated())) return E.left(NO_LEDGER);
  await readModels.storage.migrate();
  for (let waited = 0; ; waited += POLL_MS) {
    const line = await lineOfLive(readModels);
    if (line === undefined) return E.left(NO_LEDGER);
    if (line.refused !== null) return E.left(line.refused);
    const missing = missingIn(line);
    const isWaitedFor = missing !== undefined && line.leader !== null && waited < LEDGER_TIMEOUT_MS;
    if (!isWaitedFor || !(await systemRuntime.clock.sleep(POLL_MS, signal))) return E.right(missing);
  }
};
