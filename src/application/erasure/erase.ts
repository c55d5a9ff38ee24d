import { isDeepStrictEqual } from 'node:util';
import { either as E } from 'fp-ts';
import type { KeyPath } from '../../event-sourcing/encryption/key-tree.js';
import { erasedPlaces } from '../../event-sourcing/erasure/erased-places.js';
import { isErased } from '../../event-sourcing/hash-chain.js';
import type { EventKeys } from '../../event-sourcing/event-key.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import {
  type ErasureDecisions,
  type Held,
  heldStream,
  recordErasureDecision,
} from '../../event-sourcing/erasure/erasure-decisions.js';
import { categoryOf, entityIdOf, type StoredEvent, type StreamName } from '../../event-sourcing/recorded-event.js';
import type { Runtime } from '../../event-sourcing/runtime.js';
import type { ErasableFiles } from '../ports.js';
import { FILES } from '../document/file-key.js';
import { eventsToErase, isReadable, type RecordToErase } from './find-events.js';
import { readErasures } from './read-erasures.js';
import { findRecordedErased, recordErased } from './record-erased.js';

/** Where something of what was erased is still to be found, and why. */
export type Left = { readonly where: 'log' | 'files' | 'rows'; readonly what: string; readonly why: string };

/** A step that was taken. */
export type Step =
  | { readonly _tag: 'Begun'; readonly records: number }
  | { readonly _tag: 'Destroyed'; readonly events: number }
  | { readonly _tag: 'Recorded'; readonly stream: StreamName }
  | { readonly _tag: 'FilesRemoved'; readonly stream: StreamName }
  | { readonly _tag: 'RowsWritten'; readonly events: number };

export type ErasePorts = {
  readonly runtime: Runtime;
  /** The log, in which what has no key any more is erased. */
  readonly store: Pick<EventStore, 'readStream' | 'append'>;
  /** The newest one seals. */
  readonly keys: EventKeys;
  /** Destroys the keys at these places. No process has them when it resolves. */
  readonly destroy: (places: ReadonlyArray<KeyPath>) => Promise<void>;
  readonly files: ErasableFiles;
  readonly rows: {
    /**
     * Waits a while until all rows that show events of its kind do so up to this one, and drops those of records that nobody
     * writes; why they do not, if so.
     */
    readonly reach: (event: StoredEvent) => Promise<string | undefined>;
    /** Makes the rows of these events what they are without their data, wherever there are any. */
    readonly rewrite: (events: ReadonlyArray<StoredEvent>) => Promise<void>;
    /** Has the database forget what these rows were before, in its tables and statistics. */
    readonly forget: () => Promise<void>;
    /** What of a record, and of these events of it, is in the rows all the same. */
    readonly look: (record: RecordToErase, events: ReadonlyArray<StoredEvent>) => Promise<ReadonlyArray<Left>>;
  };
  readonly onStep: (step: Step) => void;
};

type By = { readonly actor: string; readonly basis: string };

/** Records in one event, at most: each is named, and an event has at most 1 MiB. */
const RECORDS_AT_ONCE = 1_000;

/** Something did not do its part of an erasure, so that it did not come to its end. */
export class ErasureCutOff extends Error {}

/** A record that is to be erased is held. */
export class RecordIsHeld extends Error {}

/** Also at the moment when the erasure is recorded: who holds a record later finds it erased, and who did so before is heard. */
const requireReleased = (records: ReadonlyArray<RecordToErase>, held: ReadonlyArray<Held>): void => {
  const streams = new Map<string, Held>(held.map((each) => [heldStream(each), each]));
  for (const { stream } of records) {
    const found = streams.get(stream);
    if (found !== undefined)
      throw new RecordIsHeld(
        `${stream.replace('-', '/')} is held by ${found.actor} since ${found.at}: ${found.reason}`,
      );
  }
};

/** By category, the newest event: rows that show it show all of them. */
type Newest = Map<string, StoredEvent>;

const noteNewest = (newest: Newest, event: StoredEvent): void => {
  const category = categoryOf(event.stream);
  if (event.position > (newest.get(category)?.position ?? -1n)) newest.set(category, event);
};

class Erasing {
  readonly #ports: ErasePorts;
  readonly #left: Array<Left> = [];

  constructor(ports: ErasePorts) {
    this.#ports = ports;
  }

  /** Has everybody know what is about to be destroyed: from then on the same command goes on where it was cut off. */
  async begin(records: ReadonlyArray<RecordToErase>, { actor, basis }: By): Promise<void> {
    const { runtime, store, keys, onStep } = this.#ports;
    for (let from = 0; from < records.length; from += RECORDS_AT_ONCE) {
      const some = records.slice(from, from + RECORDS_AT_ONCE);
      const event = { type: 'ErasureBegun' as const, data: { records: some, basis } };
      // the same command may run twice at once
      const isRecorded = ({ held, begun }: ErasureDecisions): boolean => {
        requireReleased(some, held);
        return begun.some((one) => isDeepStrictEqual(one.event.data, event.data));
      };
      const recorded = await recordErasureDecision(runtime, store, { event, actor }, isRecorded, keys);
      if (E.isLeft(recorded))
        throw new ErasureCutOff('that the erasure begins cannot be recorded', { cause: recorded.left });
    }
    onStep({ _tag: 'Begun', records: records.length });
  }

  /**
   * Carries out what was begun. Each step may be repeated. Where the rows have not come so far, it is not recorded, and the same
   * command goes on.
   */
  async carryOut(records: ReadonlyArray<RecordToErase>, by: By): Promise<void> {
    if (!(await this.#takeAway(records))) return;
    // last: whoever finds it recorded finds the rest done, and does not begin again
    for (const record of records) await this.#record(record, by);
    await this.end(records);
  }

  /** Destroys once more what is recorded as erased and can be read: an older state of the keys may have been put back. */
  async destroyReadable(records: ReadonlyArray<RecordToErase>): Promise<void> {
    for (const record of records) if (await isReadable(this.#ports.store, record)) await this.#takeAway([record]);
  }

  /** What comes after all is recorded. */
  async end(records: ReadonlyArray<RecordToErase>): Promise<void> {
    const { store, rows } = this.#ports;
    for (const record of records) {
      const said = await findRecordedErased(store, record);
      if (said !== undefined) await this.reachRows(said);
    }
    await rows.forget();
    for (const record of records) await this.#look(record);
  }

  /** Whether the rows show this event. The row of a record itself is made by what was recorded. */
  async reachRows(event: StoredEvent): Promise<boolean> {
    const why = await this.#ports.rows.reach(event);
    if (why !== undefined) this.#left.push({ where: 'rows', what: event.stream, why });
    return why === undefined;
  }

  left(): ReadonlyArray<Left> {
    return this.#left;
  }

  /** Takes the data out of the log, the files and the rows; false where rows have not come so far that theirs can go. */
  async #takeAway(records: ReadonlyArray<RecordToErase>): Promise<boolean> {
    const newest = await this.#destroy(records);
    for (const record of records) await this.#removeFiles(record);
    // who opened an event while there was its key may write its row as it was later, over one that was made anew
    for (const event of newest.values()) if (!(await this.reachRows(event))) return false;
    await this.#rewriteRows(records);
    return true;
  }

  async #destroy(records: ReadonlyArray<RecordToErase>): Promise<Newest> {
    const { store, destroy, onStep } = this.#ports;
    await destroy(records.flatMap(({ stream, events }) => erasedPlaces(stream, events)));
    // not before: until then others append by keys that they remember
    const newest: Newest = new Map();
    let count = 0;
    for (const record of records)
      for await (const events of eventsToErase(store, record)) {
        for (const event of events) noteNewest(newest, event);
        count += events.length;
      }
    onStep({ _tag: 'Destroyed', events: count });
    return newest;
  }

  /**
   * Not before the keys are gone: the revision of this event is in the entity tag of the history, and what a process that had
   * them answered under it would be "not modified" for ever.
   */
  async #record(record: RecordToErase, { actor, basis }: By): Promise<void> {
    const { runtime, store, keys, onStep } = this.#ports;
    const recorded = await recordErased(runtime, store, record, { basis, actor, eventKey: keys[0] });
    if (E.isLeft(recorded))
      throw new ErasureCutOff(`${record.stream} cannot say that it is erased`, { cause: recorded.left });
    onStep({ _tag: 'Recorded', stream: record.stream });
  }

  async #removeFiles({ stream, events }: RecordToErase): Promise<void> {
    if (categoryOf(stream) !== 'document' || events !== 'all') return;
    const { files, onStep } = this.#ports;
    const removed = await files.removeForGood(`${FILES}${entityIdOf(stream)}`);
    if (E.isLeft(removed))
      throw new ErasureCutOff('the storage of the files does not answer', { cause: removed.left.cause });
    for (const what of removed.right) this.#left.push({ where: 'files', what, why: 'the storage keeps it' });
    onStep({ _tag: 'FilesRemoved', stream });
  }

  async #rewriteRows(records: ReadonlyArray<RecordToErase>): Promise<void> {
    const { store, rows, onStep } = this.#ports;
    let count = 0;
    for (const record of records)
      for await (const events of eventsToErase(store, record)) {
        await rows.rewrite(events);
        count += events.length;
      }
    onStep({ _tag: 'RowsWritten', events: count });
  }

  async #look(record: RecordToErase): Promise<void> {
    const { store, rows } = this.#ports;
    for await (const events of eventsToErase(store, record)) {
      for (const event of events)
        if (!isErased(event))
          this.#left.push({
            where: 'log',
            what: `${event.stream}, revision ${event.revision}`,
            why: 'it was written before ERASURE was on, or its key was put back',
          });
      this.#left.push(...(await rows.look(record, events)));
    }
  }
}

/**
 * Destroys the data of events: says in the log that it begins, destroys their keys, removes the files of documents, makes the rows
 * anew, says in the stream of each record that it is erased, and looks whether anything is left, which it gives. Where it is cut
 * off, `finishErasures` goes on. Throws `ErasureCutOff`, and what the ports throw.
 */
export const erase = async (
  ports: ErasePorts,
  records: ReadonlyArray<RecordToErase>,
  by: By,
): Promise<ReadonlyArray<Left>> => {
  const erasing = new Erasing(ports);
  await erasing.begin(records, by);
  await erasing.carryOut(records, by);
  return erasing.left();
};

/** Erasures that were cut off, and have ended. */
export type Finished = { readonly records: ReadonlyArray<RecordToErase>; readonly left: ReadonlyArray<Left> };

/**
 * Carries out what was begun and is not recorded, at whatever step it was cut off, and does to the rows what follows when it is
 * recorded. As `erase` in all else.
 */
export const finishErasures = async (ports: ErasePorts): Promise<Finished> => {
  const erasing = new Erasing(ports);
  const records: Array<RecordToErase> = [];
  const newest: Newest = new Map();
  for await (const { unfinished, recorded, actor, basis } of readErasures(ports.store, ports.keys)) {
    for (const said of recorded) noteNewest(newest, said);
    if (unfinished.length === 0) continue;
    await erasing.carryOut(unfinished, { actor, basis });
    records.push(...unfinished);
  }
  for (const said of newest.values()) await erasing.reachRows(said);
  return { records, left: erasing.left() };
};

/**
 * What follows when an erasure is recorded, which may have been cut off: destroys what can be read again since, has the database
 * forget the rows as they were, and looks whether anything is left of these records. As `erase` in all else.
 */
export const endErasure = async (
  ports: ErasePorts,
  records: ReadonlyArray<RecordToErase>,
): Promise<ReadonlyArray<Left>> => {
  const erasing = new Erasing(ports);
  await erasing.destroyReadable(records);
  await erasing.end(records);
  return erasing.left();
};
