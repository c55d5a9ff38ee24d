import { either as E } from 'fp-ts';
import { isKeyed } from './command-id.js';
import type { Decider } from './decider.js';
import { type EventStore, StoreUnavailable, type StreamRange } from './event-store.js';
import { type Folded, rememberKeyed } from './fold.js';
import type { Revision, StreamName } from './recorded-event.js';
import type { Recorded, Serde, UndecodableEvent, DomainEvent } from './serde.js';

export type LoadFailure = StoreUnavailable | UndecodableEvent;

export const asStoreUnavailable = (error: unknown): StoreUnavailable =>
  error instanceof StoreUnavailable ? error : new StoreUnavailable('the event store failed', error);

/** Decoded events of a stream, one by one; ends early, releasing the read, when `visit` gives false. */
export const visitStream = async <Event extends DomainEvent>(
  store: EventStore,
  serde: Serde<Event>,
  stream: StreamName,
  range: StreamRange,
  visit: (recorded: Recorded<Event>) => boolean,
): Promise<E.Either<LoadFailure, void>> => {
  try {
    for await (const page of store.readStream(stream, range)) {
      for (const stored of page) {
        const decoded = serde.decode(stored);
        if (E.isLeft(decoded)) return decoded;
        if (!visit(decoded.right)) return E.right(undefined);
      }
    }
    return E.right(undefined);
  } catch (error) {
    return E.left(asStoreUnavailable(error));
  }
};

const extend = <State, Command, Event extends DomainEvent, Refusal>(
  decider: Decider<State, Command, Event, Refusal>,
  folded: Folded<State>,
  { event, metadata, revision, position }: Recorded<Event>,
): Folded<State> => ({
  state: decider.evolve(folded.state, event, metadata),
  revision,
  position,
  lastHash: metadata.hash,
  lastAt: metadata.at,
  keyed: isKeyed(metadata.$causationId) ? rememberKeyed(folded.keyed, metadata.$causationId, revision) : folded.keyed,
});

export type Loaded<State> = {
  readonly folded: Folded<State>;
  /** Revision of the last event just read that was caused by `commandId`. */
  readonly own: Revision | undefined;
};

/** Folds what the stream holds beyond `known`. */
export const loadStream = async <State, Command, Event extends DomainEvent, Refusal>(
  deps: {
    readonly store: EventStore;
    readonly serde: Serde<Event>;
    readonly decider: Decider<State, Command, Event, Refusal>;
  },
  stream: StreamName,
  known: Folded<State>,
  commandId: string,
): Promise<E.Either<LoadFailure, Loaded<State>>> => {
  let folded = known;
  let own: Revision | undefined;
  const from = known.revision === 'no-stream' ? 0n : known.revision + 1n;
  const outcome = await visitStream(deps.store, deps.serde, stream, { direction: 'forwards', from }, (recorded) => {
    folded = extend(deps.decider, folded, recorded);
    if (recorded.metadata.$causationId === commandId) own = recorded.revision;
    return true;
  });
  return E.isLeft(outcome) ? outcome : E.right({ folded, own });
};
