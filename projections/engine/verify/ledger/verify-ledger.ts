import type { EventKeys } from '../../../../src/event-sourcing/event-key.js';
import type { EventStore } from '../../../../src/event-sourcing/event-store.js';
import type { OnLogFault } from '../../../../src/event-sourcing/whole-log/log-fault.js';
import type { Ledger } from '../../../ledger.js';
import { categoriesOf } from '../../../read-model.js';
import { requireSameLogs } from '../../generation/provenance.js';
import type { ReadModelStorage } from '../../storage.js';
import { makeLedgerCheck } from './ledger-check.js';
import { makeLedgerSource } from './ledger-source.js';

type VerifyingLedger = {
  /** By which it is known which erasures count. */
  readonly keys: EventKeys;
  readonly onFault: OnLogFault;
  /** After every page. */
  readonly onCompared: (events: number) => void;
  readonly signal: AbortSignal;
};

/**
 * Compares the live rows of a ledger, and the tiles over them, with the log. Gives how many events were compared; undefined
 * when `signal` aborted it. Throws what log and database throw, `WrongLog` and `NoLiveRows`.
 */
export const verifyLedger = async (
  storage: Pick<ReadModelStorage, 'generations' | 'storedLedger'>,
  store: EventStore,
  ledger: Ledger,
  { keys, onFault, onCompared, signal }: VerifyingLedger,
): Promise<number | undefined> => {
  await requireSameLogs(store, storage, [ledger]);
  const check = await makeLedgerCheck({ store, keys, ledger, source: makeLedgerSource(storage, ledger), onFault });
  for await (const { events } of store.readAll({ after: 'start', categories: categoriesOf(ledger) })) {
    if (signal.aborted) return undefined;
    await check.take(events);
    onCompared(check.counts().compared);
  }
  await check.end();
  return check.counts().compared;
};
