import { appendBytes, MAX_APPEND_BYTES } from '../../../src/event-sourcing/append-limits.js';
import type { NewEvent } from '../../../src/event-sourcing/recorded-event.js';

export type LogRecord = NewEvent & {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
};

export type Expectation = 'any' | 'stream-exists' | 'no-stream' | bigint;

export type AppendResult =
  | { readonly _tag: 'Stored'; readonly revision: bigint; readonly position: bigint | undefined }
  | { readonly _tag: 'WrongVersion'; readonly current: bigint | undefined }
  | { readonly _tag: 'Deleted' }
  | { readonly _tag: 'TooLarge' };

/** Revision of the record that a tombstone is. */
const TOMBSTONE = 9223372036854775807n;

type Stream = { readonly records: Array<LogRecord>; truncatedBefore: number; isTombstoned: boolean };

/** The log of an EventStoreDB, and what its writer knows about streams. It survives a restart of the server. */
export type DoubleLog = {
  readonly records: Array<LogRecord>;
  /** The position that the next record will have. */
  readonly end: () => bigint;
  readonly append: (stream: string, expected: Expectation, events: ReadonlyArray<NewEvent>) => AppendResult;
  /** What a read of the stream returns; undefined when there is no stream. */
  readonly visible: (stream: string) => ReadonlyArray<LogRecord> | 'tombstoned' | undefined;
  readonly revisionOf: (stream: string) => bigint | undefined;
  readonly softDelete: (stream: string) => void;
  readonly tombstone: (stream: string) => void;
  readonly truncateBefore: (stream: string, revision: number) => void;
  /** Forgets the ids in memory, by which an append at `any` is recognised as repeated. */
  readonly forgetIds: () => void;
  /** Cuts the log to its first `count` records, as the restore of a backup does. */
  readonly restore: (count: number) => void;
  /** Removes the events of a stream from a revision on, and leaves everything else as it is. */
  readonly cut: (stream: string, from: number) => void;
  readonly onGrowth: Set<() => void>;
};

export const makeLog = (): DoubleLog => {
  const records: Array<LogRecord> = [];
  const streams = new Map<string, Stream>();
  const committed = new Map<string, LogRecord>();
  const onGrowth = new Set<() => void>();
  let end = 0n;

  const write = (stream: string, revision: bigint, event: NewEvent): LogRecord => {
    const record = { ...event, stream, revision, position: end };
    // a position is an offset in bytes, as in the server's log
    end += BigInt(96 + 2 * stream.length + appendBytes([event]));
    records.push(record);
    return record;
  };
  const systemRecord = (stream: string, type: string, revision = 0n, data = '{}') =>
    write(stream, revision, { id: '00000000-0000-4000-8000-000000000000', type, data, metadata: '' });
  const grown = (): void => {
    for (const notify of onGrowth) notify();
  };
  const streamOf = (name: string): Stream => {
    const stream = streams.get(name) ?? { records: [], truncatedBefore: 0, isTombstoned: false };
    streams.set(name, stream);
    return stream;
  };
  const isSoftDeleted = (stream: Stream): boolean =>
    stream.records.length > 0 && stream.truncatedBefore >= stream.records.length;

  const store = (name: string, events: ReadonlyArray<NewEvent>): AppendResult => {
    const stream = streamOf(name);
    for (const event of events) {
      const record = write(name, BigInt(stream.records.length), event);
      stream.records.push(record);
      committed.set(event.id, record);
    }
    grown();
    const last = stream.records.at(-1)!;
    return { _tag: 'Stored', revision: last.revision, position: last.position };
  };

  const repeated = (stream: Stream, last: LogRecord): AppendResult => ({
    _tag: 'Stored',
    revision: last.revision,
    position: Number(last.revision) < stream.truncatedBefore ? undefined : last.position,
  });

  const atAnyRevision = (name: string, events: ReadonlyArray<NewEvent>): AppendResult => {
    const known = events.map(({ id }) => committed.get(id)).filter((record) => record?.stream === name);
    const stream = streamOf(name);
    if (known.length === events.length && known.at(-1) !== undefined) return repeated(stream, known.at(-1)!);
    if (committed.get(events[0]!.id)?.stream === name)
      return { _tag: 'WrongVersion', current: stream.records.at(-1)?.revision };
    return store(name, events);
  };

  const append: DoubleLog['append'] = (name, expected, events) => {
    if (appendBytes(events) > MAX_APPEND_BYTES) return { _tag: 'TooLarge' };
    const stream = streamOf(name);
    if (stream.isTombstoned) return { _tag: 'Deleted' };
    if (expected === 'stream-exists' && isSoftDeleted(stream)) return { _tag: 'Deleted' };
    const current = stream.records.at(-1)?.revision;
    if (expected === 'stream-exists' && current === undefined) return { _tag: 'WrongVersion', current };
    if (expected === 'any' || expected === 'stream-exists') return atAnyRevision(name, events);
    const next = expected === 'no-stream' ? 0 : Number(expected) + 1;
    if (next === stream.records.length) return store(name, events);
    const there = stream.records.slice(next, next + events.length);
    if (there.length === events.length && events.every(({ id }, index) => there[index]!.id === id))
      return repeated(stream, there.at(-1)!);
    if (expected === 'no-stream' && isSoftDeleted(stream) && there[0]?.id !== events[0]!.id) return store(name, events);
    return { _tag: 'WrongVersion', current };
  };

  systemRecord('$$$scavenges', '$metadata');
  return {
    records,
    end: () => end,
    append,
    visible: (name) => {
      const stream = streams.get(name);
      if (stream?.isTombstoned === true) return 'tombstoned';
      if (stream === undefined || stream.records.length === 0 || isSoftDeleted(stream)) return undefined;
      return stream.records.slice(stream.truncatedBefore);
    },
    revisionOf: (name) => streams.get(name)?.records.at(-1)?.revision,
    softDelete: (name) => {
      streamOf(name).truncatedBefore = streamOf(name).records.length;
      systemRecord(`$$${name}`, '$metadata', 0n, '{"$tb":9223372036854775807}');
      grown();
    },
    tombstone: (name) => {
      streamOf(name).isTombstoned = true;
      systemRecord(name, '$streamDeleted', TOMBSTONE, '');
      grown();
    },
    truncateBefore: (name, revision) => {
      streamOf(name).truncatedBefore = revision;
      systemRecord(`$$${name}`, '$metadata', 0n, `{"$tb":${revision}}`);
      grown();
    },
    forgetIds: () => committed.clear(),
    restore: (count) => {
      records.splice(count);
      const last = records.at(-1)!;
      end = last.position + BigInt(96 + 2 * last.stream.length + appendBytes([last]));
      committed.clear();
      for (const [name, stream] of streams) {
        const kept = stream.records.filter((record) => records.includes(record));
        stream.records.splice(0, Infinity, ...kept);
        stream.isTombstoned &&= records.some((record) => record.stream === name && record.revision === TOMBSTONE);
        if (!records.some((record) => record.stream === `$$${name}`)) stream.truncatedBefore = 0;
      }
    },
    cut: (name, from) => {
      for (const removed of streamOf(name).records.splice(from)) {
        records.splice(records.indexOf(removed), 1);
        committed.delete(removed.id);
      }
    },
    onGrowth,
  };
};
