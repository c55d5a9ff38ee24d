import type { RecordRead } from '../http/recorded-read.js';
import { logAccessEvent } from '../infrastructure/logging/log-access-event.js';
import { countLostReads } from '../infrastructure/metrics/lost-reads-counter.js';
import type { AccessQueries } from '../read/access/access-record.js';
import { makeAwaitedReads } from '../read/access/awaited-reads.js';
import { noteSwitch } from '../read/access/note-switch.js';
import { makeQueuedReads } from '../read/access/queued-reads.js';
import type { ServiceStores } from './adapters.js';
import type { ServiceContext } from './service-context.js';

type Recording = {
  readonly queries: AccessQueries;
  /** Undefined: reads are not recorded. */
  readonly recordRead: RecordRead | undefined;
  /** By the text of a warning of `/readyz`: whether it is given. */
  readonly warnings: Readonly<Record<string, () => boolean>>;
};

type Recorded = Pick<ServiceContext, 'log' | 'runtime' | 'metrics' | 'started'> & {
  readonly config: Pick<ServiceContext['config'], 'accessRecord'>;
};

/** Keeps the record of reads, as the settings say, and says in it when it is switched off and on. */
export const recordReads = (
  { config, log, runtime, metrics, started }: Recorded,
  { readModels }: { readonly readModels: Pick<ServiceStores['readModels'], 'accessRecord'> },
): Recording => {
  const { clock } = runtime;
  const record = readModels.accessRecord();
  started.add(record.close);
  const mode = config.accessRecord;
  const leaving = new AbortController();
  const onEvent = logAccessEvent(log);
  const noting = noteSwitch(clock, record, mode !== 'off', leaving.signal, onEvent);
  started.add(async () => {
    leaving.abort();
    await noting;
  });
  if (mode === 'off') return { queries: record, recordRead: undefined, warnings: {} };
  const make = mode === 'required' ? makeAwaitedReads : makeQueuedReads;
  const writer = make(clock, record, onEvent);
  started.add(writer.stop);
  countLostReads(metrics, writer.lost);
  return {
    queries: record,
    recordRead: writer.write,
    warnings: { 'the database does not take the record of reads': writer.isFailing },
  };
};
