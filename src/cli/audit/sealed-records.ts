import { either as E } from 'fp-ts';
import type { IndexedEvent } from '../../audit-pack/packed-event.js';
import type { PackRecord, PackSources } from '../../audit-pack/pack-sources.js';
import { orThrow } from '../../event-sourcing/attempt.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { readEvent } from '../../event-sourcing/read-event.js';
import { categoryOf, entityIdOf, type StreamName } from '../../event-sourcing/recorded-event.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';
import type { LedgerPlaces } from '../../read/ledger-places.js';
import type { ReadModelUnavailable } from '../../read/queries.js';
import type { SealedTree, SignedCheckpoint } from '../../read/sealed-tree.js';
import { openCheckpoint } from '../../seal/checkpoint.js';
import { openKnown } from '../../sealing/kept-checkpoint.js';
import { keysOf, type SealHistory } from '../../sealing/seal-history.js';
import { counted } from '../plural.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

type Sources = {
  readonly store: Pick<EventStore, 'newestRevision' | 'readStream'>;
  readonly places: LedgerPlaces;
  readonly tree: Pick<SealedTree, 'newestOf' | 'cosignedOf'>;
  /** The newest checkpoint of so many events or more that has a timestamp; undefined where there is none. */
  readonly stamped: (least: number) => Promise<Pick<PackSources, 'checkpoint' | 'timestamp'> | undefined>;
};

/** Records as they were when they were asked for, a checkpoint over all of their events, and decisions below it about them. */
type SealedRecords = Pick<PackSources, 'records' | 'decisions' | 'checkpoint' | 'timestamp'>;

/** The same, and how many events a checkpoint has to be of. */
type Found = { readonly sealed: SealedRecords; readonly needed: number };

type Wanted = { readonly stream: StreamName; readonly events: number };

/** Not yet: a running service may add what is missing. */
type NotYet = { readonly _tag: 'NotYet'; readonly why: string };
type Never = { readonly _tag: 'Never'; readonly why: string };

/** A service writes the ledger and signs it within about a second. */
const ATTEMPTS = 10;
const BETWEEN_MS = 300;

const never = (why: string): Never => ({ _tag: 'Never', why });
const notYet = (why: string): NotYet => ({ _tag: 'NotYet', why });
const away = ({ cause }: ReadModelUnavailable): Never =>
  never(`the database of the read models does not answer: ${reasonOf(cause)}`);

const ALL = Number.MAX_SAFE_INTEGER;

const eventsOf = async ({ store }: Sources, stream: StreamName): Promise<number> => {
  const revision = orThrow(await store.newestRevision(stream));
  return revision === 'no-stream' ? 0 : Number(revision) + 1;
};

const wantedOf = async (
  sources: Sources,
  streams: ReadonlyArray<StreamName>,
): Promise<E.Either<Never, ReadonlyArray<Wanted>>> => {
  const wanted: Array<Wanted> = [];
  for (const stream of streams) {
    const events = await eventsOf(sources, stream);
    const known = events > 0 ? E.right([]) : await sources.places.ofStream(stream, ALL);
    if (E.isLeft(known)) return E.left(away(known.left));
    if (events === 0 && known.right.length === 0)
      return E.left(never(`there is no ${categoryOf(stream)} ${entityIdOf(stream)}, and never was`));
    wanted.push({ stream, events });
  }
  return E.right(wanted);
};

const revisions = (first: number, last: number): string =>
  first === last ? `revision ${first}` : `revisions ${first} to ${last}`;

/**
 * Why a record is not whole: the ledger is written from the log, so the log had what the ledger has. The log is read after
 * it, as events are appended meanwhile.
 */
const cutOff = async (sources: Sources, stream: StreamName, known: number): Promise<Never | undefined> => {
  const there = await eventsOf(sources, stream);
  if (there >= known) return undefined;
  const has = there === 0 ? 'no event' : revisions(0, there - 1);
  return never(
    `the end of ${stream} was cut off: the log has ${has} of it, and the ledger has ${revisions(there, known - 1)} as well ` +
      '("ops log verify" says what else is missing)',
  );
};

/** Events that were sealed, and that neither log nor ledger may have any more: one of them may be of these records. */
const removedBelow = async ({ places }: Sources, size: number): Promise<Never | undefined> => {
  const found = await places.below(size);
  if (E.isLeft(found)) return away(found.left);
  if (found.right === size) return undefined;
  return never(
    `the ledger has ${found.right} of the ${counted(size, 'event')} of the signed checkpoint, so that nobody can tell whether ` +
      'a record is whole ("ops log verify" says which are missing)',
  );
};

const recordOf = (store: Sources['store'], stream: StreamName, places: ReadonlyArray<number>): PackRecord => ({
  stream,
  events: async function* () {
    for await (const page of store.readStream(stream, { direction: 'forwards', limit: places.length }))
      yield [...page].map((event) => ({ index: places[Number(event.revision)] ?? -1, event }));
  },
});

/** Each as the log has it. */
const decisionsAbout = async (
  { store, places }: Sources,
  records: ReadonlyArray<PackRecord>,
  size: number,
): Promise<E.Either<Never, ReadonlyArray<IndexedEvent>>> => {
  const decisions: Array<IndexedEvent> = [];
  for (const record of records) {
    const found = await places.decisionsAbout(record.stream, size);
    if (E.isLeft(found)) return E.left(away(found.left));
    for (const { index, stream, revision } of found.right) {
      const event = await readEvent(store, stream, revision);
      if (event?.revision !== revision)
        return E.left(
          never(
            `the log does not have the decision of operators ${stream}, revision ${revision}, which the ledger has ` +
              '("ops log verify" says what else is missing)',
          ),
        );
      decisions.push({ index, event });
    }
  }
  return E.right(decisions);
};

const find = async (
  sources: Sources,
  history: SealHistory,
  wanted: ReadonlyArray<Wanted>,
  waitsForWitnesses: boolean,
): Promise<E.Either<Never | NotYet, Found>> => {
  const { store, places, tree } = sources;
  const { origin, key } = history;
  const isSigned = ({ note }: SignedCheckpoint): boolean => E.isRight(openCheckpoint(Buffer.from(note), [key]));
  const records: Array<PackRecord> = [];
  let size = 0;
  for (const { stream, events } of wanted) {
    const found = await places.ofStream(stream, ALL);
    if (E.isLeft(found)) return E.left(away(found.left));
    const has = found.right.length;
    const cut = has > events ? await cutOff(sources, stream, has) : undefined;
    if (cut !== undefined) return E.left(cut);
    if (has < events) return E.left(notYet(`the ledger has ${has} of the ${counted(events, 'event')} of ${stream}`));
    const own = found.right.slice(0, events);
    size = Math.max(size, 1 + (own.at(-1) ?? 0));
    records.push(recordOf(store, stream, own));
  }
  const newest = await tree.newestOf(origin);
  if (E.isLeft(newest)) return E.left(away(newest.left));
  if (newest.right === undefined) return E.left(notYet(`there is no signed checkpoint of ${origin}`));
  if (newest.right.size < size)
    return E.left(
      notYet(
        `the newest signed checkpoint covers ${counted(newest.right.size, 'event')}, and ${counted(size, 'is', 'are')} needed`,
      ),
    );
  const known = openKnown(Buffer.from(newest.right.note), keysOf(history)(origin));
  if (E.isLeft(known)) return E.left(never(`the checkpoint is not one of the signing key: ${known.left}`));
  if (!isSigned(newest.right))
    return E.left(notYet(`the newest checkpoint of ${origin} is signed by the key that was replaced`));
  const removed = await removedBelow(sources, newest.right.size);
  if (removed !== undefined) return E.left(removed);
  const cosigned = await tree.cosignedOf(origin);
  if (E.isLeft(cosigned)) return E.left(away(cosigned.left));
  const { right: witnessed } = cosigned;
  const isWitnessed = witnessed !== undefined && witnessed.size >= size && isSigned(witnessed);
  if (witnessed !== undefined && !isWitnessed && waitsForWitnesses)
    return E.left(notYet('witnesses have not cosigned a checkpoint that covers the records'));
  const { note, size: covered } = isWitnessed ? witnessed : newest.right;
  return E.map((decisions: SealedRecords['decisions']): Found => {
    const needed = decisions.reduce((most, { index }) => Math.max(most, 1 + index), size);
    return { sealed: { records, decisions, checkpoint: note }, needed };
  })(await decisionsAbout(sources, records, covered));
};

/**
 * Finds the places of all events that these records have now, and a checkpoint that covers them; waits a few seconds for a
 * running service to write and sign them, by the key that signs now, and for witnesses, where there are any; without them where
 * that takes longer. A checkpoint with a timestamp that covers all of it is preferred to a newer one without. Left: why that is
 * not possible, also where the log has less than was sealed. Throws `StoreUnavailable`.
 */
export const findSealedRecords = async (
  sources: Sources,
  history: SealHistory,
  streams: ReadonlyArray<StreamName>,
  signal: AbortSignal,
): Promise<E.Either<string, SealedRecords>> => {
  const wanted = await wantedOf(sources, streams);
  if (E.isLeft(wanted)) return E.left(wanted.left.why);
  for (let attempt = 1; ; attempt += 1) {
    const found = await find(sources, history, wanted.right, attempt < ATTEMPTS);
    if (E.isRight(found)) {
      const { sealed, needed } = found.right;
      return E.right({ ...sealed, ...(await sources.stamped(needed)) });
    }
    if (found.left._tag === 'Never') return E.left(found.left.why);
    const goesOn = attempt < ATTEMPTS && (await systemRuntime.clock.sleep(BETWEEN_MS, signal));
    if (!goesOn) return E.left(`${found.left.why}: a running service writes and signs the rest, so start it, or wait`);
  }
};
