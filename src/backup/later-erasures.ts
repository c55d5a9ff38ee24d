import { either as E, json as J } from 'fp-ts';
import * as t from 'io-ts';
import type { RecordToErase } from '../application/erasure/find-events.js';
import { isInClear } from '../event-sourcing/encryption/at-rest.js';
import type { KeyPath } from '../event-sourcing/encryption/key-tree.js';
import {
  addRevision,
  covers,
  type Erased,
  ErasedEvents,
  erasureIn,
  saysErased,
} from '../event-sourcing/erasure/erased-events.js';
import { erasedPlaces } from '../event-sourcing/erasure/erased-places.js';
import type { Revision, StoredEvent, StreamName } from '../event-sourcing/recorded-event.js';
import { isUuid } from '../event-sourcing/uuid.js';
import type { CopySource } from '../event-sourcing/whole-log/copy-log.js';
import { BackupFault } from './backup-fault.js';

const RECORD = /^(?:business|document)-(.+)$/;

// reason: such a name was that of a stream
const isErasable = (value: unknown): value is StreamName =>
  typeof value === 'string' && isUuid(RECORD.exec(value)?.[1] ?? '');

const ErasableStream = new t.Type<StreamName>(
  'ErasableStream',
  isErasable,
  (value, context) => (isErasable(value) ? t.success(value) : t.failure(value, context)),
  (stream) => stream,
);

const isRange = ([first, last]: readonly [number, number]): boolean =>
  Number.isSafeInteger(first) && Number.isSafeInteger(last) && 0 <= first && first <= last;

const Listed = t.type({
  log: t.string,
  basis: t.string,
  records: t.readonlyArray(t.type({ stream: ErasableStream, events: ErasedEvents })),
});

/** An erasure that was carried out elsewhere, of these records and on this basis. */
type ListedErasure = { readonly basis: string; readonly records: ReadonlyArray<RecordToErase> };

/**
 * The erasures of a list as `ops erase list --json` prints it, of the log with this name. Throws `BackupFault`, which names the
 * line: a list that cannot be read as a whole is not carried out in part, and one of no erasures is perhaps not the right one.
 */
export const readListed = (text: string, name: string, log: string): ReadonlyArray<ListedErasure> => {
  const lines = text.split('\n').map((line, index) => ({ line, at: `line ${index + 1} of ${name}` }));
  const listed = lines.flatMap(({ line, at }) => {
    if (line.trim() === '') return [];
    const parsed = E.toUnion(J.parse(line));
    if (!Listed.is(parsed) || parsed.records.some(({ events }) => events !== 'all' && !events.every(isRange)))
      throw new BackupFault(`${at} is none that \`ops erase list --json\` prints`);
    if (parsed.log !== log)
      throw new BackupFault(`${at} is an erasure of the log ${parsed.log}, and the backup is one of ${log}`);
    return [{ basis: parsed.basis, records: parsed.records }];
  });
  if (listed.length === 0) throw new BackupFault(`${name} has no erasure: without one, leave --erasures out`);
  return listed;
};

/** What of a list a backup does not know. */
export type LaterErasures = {
  /** The places of the keys of all events of the list that the backup has. */
  readonly places: ReadonlyArray<KeyPath>;
  /** What the log of the backup does not say to be erased, of the events that it has. */
  readonly erasures: ReadonlyArray<ListedErasure>;
  /** Records of which the backup has none of the erased events. */
  readonly notInBackup: ReadonlyArray<StreamName>;
};

export const NONE_LATER: LaterErasures = { places: [], erasures: [], notInBackup: [] };

/** The records of all of these erasures, each as often as it is erased. */
export const recordsOf = ({ erasures }: Pick<LaterErasures, 'erasures'>): ReadonlyArray<RecordToErase> =>
  erasures.flatMap(({ records }) => records);

/** What a backup has of a record. */
type Seen = {
  readonly events: Array<Pick<StoredEvent, 'revision'> & { readonly isPlain: boolean }>;
  readonly said: Array<Erased & { readonly at: Revision }>;
};

const see = async (
  log: Pick<CopySource, 'readAll'>,
  streams: Iterable<StreamName>,
): Promise<ReadonlyMap<StreamName, Seen>> => {
  const records = new Map(Array.from(streams, (stream): [StreamName, Seen] => [stream, { events: [], said: [] }]));
  for await (const { events } of log.readAll({ after: 'start' }))
    for (const event of events) {
      const seen = records.get(event.stream);
      if (seen === undefined) continue;
      const { revision } = event;
      const erased = erasureIn(event);
      if (erased !== undefined) seen.said.push({ ...erased, at: revision });
      if (!saysErased(event)) seen.events.push({ revision, isPlain: isInClear(event) });
    }
  return records;
};

/** Of a record, these events alone, which are in their order; nothing without any. */
const only = (
  { stream, events }: RecordToErase,
  those: ReadonlyArray<Pick<StoredEvent, 'revision'>>,
): ReadonlyArray<RecordToErase> => {
  if (those.length === 0) return [];
  if (events === 'all') return [{ stream, events }];
  const ranges: Array<[number, number]> = [];
  for (const { revision } of those) addRevision(ranges, revision);
  return [{ stream, events: ranges }];
};

/**
 * What of these erasures is to be carried out where this log is restored: no event that it does not have, because another will
 * be in its place. Throws `BackupFault` where one of the events was never encrypted: it would stay readable.
 */
export const laterErasures = async (
  log: Pick<CopySource, 'readAll'>,
  listed: ReadonlyArray<ListedErasure>,
): Promise<LaterErasures> => {
  const records = await see(log, new Set(listed.flatMap((one) => one.records.map(({ stream }) => stream))));
  const places: Array<KeyPath> = [];
  const erasures: Array<ListedErasure> = [];
  const notInBackup = new Set<StreamName>();
  for (const { basis, records: of } of listed) {
    const unknown: Array<RecordToErase> = [];
    for (const record of of) {
      const { events, said } = records.get(record.stream) ?? { events: [], said: [] };
      const named = events.filter(({ revision }) => covers(record.events, revision + 1n, revision));
      if (named.length === 0) notInBackup.add(record.stream);
      if (named.some(({ isPlain }) => isPlain))
        throw new BackupFault(
          `what was erased of ${record.stream.replace('-', '/')} is in the backup in clear, from before ERASURE: ` +
            'it would stay readable',
        );
      for (const there of only(record, named)) places.push(...erasedPlaces(there.stream, there.events));
      const left = named.filter(({ revision }) => !said.some((one) => covers(one.events, one.at, revision)));
      unknown.push(...only(record, left));
    }
    if (unknown.length > 0) erasures.push({ basis, records: unknown });
  }
  return { places, erasures, notInBackup: [...notInBackup] };
};
