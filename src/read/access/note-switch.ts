import { either as E } from 'fp-ts';
import { type Clock, repeat } from '../../event-sourcing/clock.js';
import type { AccessRecord } from './access-record.js';

/** What a row says that is no read: from here on, processes that were started so record nothing, or record again. */
export const RECORD_OFF = 'recordOff';
export const RECORD_ON = 'recordOn';

/** Of the rows that the service writes for itself, and no caller asked for. */
const SERVICE = 'service';

/** Until it is tried again, ms. */
const RETRY_MS = 1_000;

/** The id of the newest row that says so; -1 where there is none, undefined where nobody knows. */
const newestOf = async ({ page }: AccessRecord, operation: string): Promise<bigint | undefined> => {
  const found = await page({ filter: { operation }, after: undefined, direction: 'backwards', limit: 1 });
  return E.isLeft(found) ? undefined : (found.right.reads[0]?.id ?? -1n);
};

/**
 * Says in the record itself that this process does not record, or that it records where the last that was said is that one
 * did not. Tries until the database takes it, or the signal aborts.
 */
export const noteSwitch = async (
  clock: Clock,
  record: AccessRecord,
  isOn: boolean,
  signal: AbortSignal,
): Promise<void> => {
  const ended = new AbortController();
  const stop = (): void => ended.abort();
  if (signal.aborted) return;
  signal.addEventListener('abort', stop, { once: true });
  const operation = isOn ? RECORD_ON : RECORD_OFF;
  const note = async (): Promise<void> => {
    const [off, on] = isOn ? [await newestOf(record, RECORD_OFF), await newestOf(record, RECORD_ON)] : [0n, -1n];
    if (off === undefined || on === undefined) return;
    if (off > on) await record.add([{ at: clock.date(), user: SERVICE, operation, what: '', form: '' }]);
    stop();
  };
  // what the database does not take now, it is asked again
  await repeat(clock, RETRY_MS, ended.signal, () => note().catch(() => undefined));
  signal.removeEventListener('abort', stop);
};
