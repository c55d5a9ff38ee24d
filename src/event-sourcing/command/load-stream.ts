import { either as E } from 'fp-ts';
import type { Fold } from '../decider.js';
import type { EventStore } from '../event-store.js';
import type { Revision, StreamName } from '../recorded-event.js';
import type { Runtime } from '../runtime.js';
import { type DomainEvent, occurrenceOf, type Serde } from '../serde.js';
import { type LoadFailure, forEachEvent } from '../for-each-event.js';
import { isKeyed } from './command-id.js';
import { type Folded, unfolded } from './fold.js';

/** The streams of one kind of entity, and how they are folded. */
export type Streams<State, Event extends DomainEvent> = {
  readonly runtime: Runtime;
  readonly store: EventStore;
  readonly serde: Serde<Event>;
  readonly decider: Fold<State, Event>;
};

/**
 * `own`: revision of the last event just read that was caused by `commandId`. `until`: until when the command may wait for
 * the log now.
 */
type LoadedStream<State> = {
  readonly folded: Folded<State>;
  readonly own: Revision | undefined;
  readonly until: number;
};

/**
 * Folds what the stream holds beyond `known`. When the log does not hold the event that `known` ends with (it was restored
 * from an older backup), folds the whole stream anew. What follows the first page takes no part of the time until `until`: it
 * is read at the pace of the log, and a long history would else never be folded.
 */
export const loadStream = async <State, Event extends DomainEvent>(
  streams: Streams<State, Event>,
  stream: StreamName,
  known: Folded<State>,
  commandId: string,
  until: number,
): Promise<E.Either<LoadFailure, LoadedStream<State>>> => {
  const { runtime, store, serde, decider } = streams;
  const { clock } = runtime;
  const from = known.revision === 'no-stream' ? 0n : known.revision;
  let isKnown = known.revision === 'no-stream';
  let folded = known;
  let own: Revision | undefined;
  let firstAt: number | undefined;
  const outcome = await forEachEvent(store, serde, stream, { direction: 'forwards', from, until }, (recorded) => {
    firstAt ??= clock.monotonic();
    const { event, metadata, revision, position } = recorded;
    if (revision === known.revision) {
      isKnown = metadata.hash === known.lastHash;
      return isKnown;
    }
    const state = decider.evolve(folded.state, event, occurrenceOf(recorded));
    const creationPosition = revision === 0n ? position : folded.creationPosition;
    const { hash: lastHash, at: lastAt } = metadata;
    const createdAt = revision === 0n ? lastAt : folded.createdAt;
    folded = { state, revision, position, creationPosition, lastHash, createdAt, lastAt, keyed: folded.keyed };
    if (isKeyed(metadata.$causationId)) known.keyed.add(metadata.$causationId, revision);
    if (metadata.$causationId === commandId) own = revision;
    return true;
  });
  if (E.isLeft(outcome)) return outcome;
  if (!isKnown) return loadStream(streams, stream, unfolded(decider.initialState), commandId, until);
  return E.right({ folded, own, until: firstAt === undefined ? until : until + clock.monotonic() - firstAt });
};
