import { either as E } from 'fp-ts';
import type { PackRecord } from '../../audit-pack/pack-sources.js';
import { orThrow } from '../../event-sourcing/attempt.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { pause } from '../../event-sourcing/pause.js';
import { categoryOf, entityIdOf, type StreamName } from '../../event-sourcing/recorded-event.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';
import type { LedgerPlaces } from '../../read/ledger-places.js';
import type { ReadModelUnavailable } from '../../read/queries.js';
import type { SealedTree } from '../../read/sealed-tree.js';
import { counted } from '../plural.js';

type Sources = {
  readonly store: Pick<EventStore, 'newestRevision' | 'readStream'>;
  readonly places: LedgerPlaces;
  readonly tree: Pick<SealedTree, 'newestOf'>;
};

/** Records as they were when they were asked for, and a checkpoint over all of their events. */
type SealedRecords = { readonly records: ReadonlyArray<PackRecord>; readonly checkpoint: string };

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

const wantedOf = async (
  { store }: Sources,
  streams: ReadonlyArray<StreamName>,
): Promise<E.Either<Never, ReadonlyArray<Wanted>>> => {
  const wanted: Array<Wanted> = [];
  for (const stream of streams) {
    const revision = orThrow(await store.newestRevision(stream));
    if (revision === 'no-stream')
      return E.left(never(`there is no ${categoryOf(stream)} ${entityIdOf(stream)}, and never was`));
    wanted.push({ stream, events: Number(revision) + 1 });
  }
  return E.right(wanted);
};

const recordOf = (store: Sources['store'], stream: StreamName, places: ReadonlyArray<number>): PackRecord => ({
  stream,
  events: async function* () {
    for await (const page of store.readStream(stream, { direction: 'forwards', limit: places.length }))
      yield [...page].map((event) => ({ index: places[Number(event.revision)] ?? -1, event }));
  },
});

const find = async (
  { store, places, tree }: Sources,
  origin: string,
  wanted: ReadonlyArray<Wanted>,
): Promise<E.Either<Never | NotYet, SealedRecords>> => {
  const records: Array<PackRecord> = [];
  let size = 0;
  for (const { stream, events } of wanted) {
    const found = await places.ofStream(stream, events);
    if (E.isLeft(found)) return E.left(away(found.left));
    const has = found.right.length;
    if (has < events) return E.left(notYet(`the ledger has ${has} of the ${counted(events, 'event')} of ${stream}`));
    size = Math.max(size, 1 + (found.right.at(-1) ?? 0));
    records.push(recordOf(store, stream, found.right));
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
  return E.right({ records, checkpoint: newest.right.note });
};

/**
 * Finds the places of all events that these records have now, and a checkpoint that covers them; waits a few seconds for a
 * running service to write and sign them. Left: why that is not possible. Throws `StoreUnavailable`.
 */
export const findSealedRecords = async (
  sources: Sources,
  origin: string,
  streams: ReadonlyArray<StreamName>,
  signal: AbortSignal,
): Promise<E.Either<string, SealedRecords>> => {
  const wanted = await wantedOf(sources, streams);
  if (E.isLeft(wanted)) return E.left(wanted.left.why);
  for (let attempt = 1; ; attempt += 1) {
    const found = await find(sources, origin, wanted.right);
    if (E.isRight(found)) return found;
    if (found.left._tag === 'Never') return E.left(found.left.why);
    const goesOn = attempt < ATTEMPTS && (await pause(BETWEEN_MS, signal));
    if (!goesOn) return E.left(`${found.left.why}: a running service writes and signs the rest, so start it, or wait`);
  }
};
