import { either as E } from 'fp-ts';
import { type Clock, repeat } from '../../event-sourcing/clock.js';
import type { AccessRecord } from './access-record.js';
import type { AccessEvent } from './read-writer.js';

/** What a row says that is no read: from here on, processes that were started so record nothing, or record again. */
export const RECORD_OFF = 'recordOff';
export const RECORD_ON = 'recordOn';

/** Of the rows that the service writes for itself, and no caller asked for. */
const SERVICE = 'service';

/** Until it is tried again, ms. */
const RETRY_MS = 1_000;

/** The id of the newest row that says so; -1 where there is none. Rejects where nobody knows. */
const newestOf = async ({ page }: AccessRecord, operation: string): Promise<bigint> => {
  const found = await page({ filter: { operation }, after: undefined, direction: 'backwards', limit: 1 });
  if (E.isLeft(found)) throw new Error('the record of reads cannot be read', { cause: found.left });
  return found.right.reads[0]?.id ?? -1n;
};

/**
 * Says in the record itself that this process does not record, or that it records where the last that was said is that one
 * did not. Tries until the database takes it, or the signal aborts; that it does not is told, and that it does again.
 */
export const noteSwitch = async (
  clock: Clock,
  record: AccessRecord,
  isOn: boolean,
  signal: AbortSignal,
  onEvent: (event: AccessEvent) => void,
): Promise<void> => {
  const ended = new AbortController();
  const stop = (): void => ended.abort();
  if (signal.aborted) return;
  signal.addEventListener('abort', stop, { once: true });
  let isFailing = false;
  const operation = isOn ? RECORD_ON : RECORD_OFF;
  const note = async (): Promise<void> => {
    const [off, on] = isOn ? [await newestOf(record, RECORD_OFF), await newestOf(record, RECORD_ON)] : [0n, -1n];
    if (off > on) await record.add([{ at: clock.date(), user: SERVICE, operation, what: '', form: '' }]);
    if (isFailing) onEvent({ _tag: 'WrittenAgain' });
    stop();
  };
  const onFailed = (cause: unknown): void => {
    isFailing = true;
    onEvent({ _tag: 'NotWritten', cause });
  };
  // what the database does not take now, it is asked again
  await repeat(clock, RETRY_MS, ended.signal, () => note().catch(onFailed));
  signal.removeEventListener('abort', stop);
};
