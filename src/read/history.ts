import { either as E, option as O } from 'fp-ts';
import type { Decider } from '../event-sourcing/decider.js';
import { asStoreUnavailable, type EventStore, type StreamRange } from '../event-sourcing/event-store.js';
import { type LoadFailure, forEachEvent } from '../event-sourcing/for-each-event.js';
import type { Revision, StreamName } from '../event-sourcing/recorded-event.js';
import { type AdmitPage, PageRefused } from './admit-page.js';
import type { DomainEvent, Serde, UndecodableEvent } from '../event-sourcing/serde.js';
import { type EventTelling, renderEvent } from './event-view.js';

/** The entity has no stream: it never was. */
export type NeverExisted = { readonly _tag: 'NeverExisted' };

/** A place in an entity's history: a revision, or an instant (both inclusive). */
export type AsOf =
  | { readonly _tag: 'AtRevision'; readonly revision: Revision }
  | { readonly _tag: 'AtTime'; readonly at: Date }
  | { readonly _tag: 'Now' };

export type StateThen<State> = { readonly state: State; readonly revision: Revision };

export type EventsRequest = Pick<StreamRange, 'direction' | 'from' | 'limit'> & { readonly proof: boolean };

/** One page of rendered events, in the order asked for, and the revision of the last of them. */
export type EventsPage = { readonly bodies: ReadonlyArray<string>; readonly last: Revision };

export type History<State> = {
  /** The state as the stream had it then; none before its first event or past its last revision. */
  readonly stateAsOf: (
    id: string,
    asOf: AsOf,
    admitPage: AdmitPage,
  ) => Promise<E.Either<LoadFailure, O.Option<StateThen<State>>>>;
  /**
   * Pages of an entity's events, once, pulled at the reader's pace. Whether the entity exists is known before the
   * first page; later failures are thrown out of the iterator. Whoever stops early, even before the first page, calls
   * the iterator's `return`: a read of the store is open.
   */
  readonly events: (
    id: string,
    request: EventsRequest,
    admitPage?: AdmitPage,
  ) => Promise<E.Either<LoadFailure | NeverExisted, AsyncIterable<EventsPage>>>;
};

type HistoryDeps<State, Event extends DomainEvent> = {
  readonly store: EventStore;
  readonly serde: Serde<Event>;
  readonly fold: Pick<Decider<State, never, Event, never>, 'initialState' | 'evolve'>;
  readonly telling: EventTelling<Event>;
  readonly category: 'business' | 'document';
};

/** Thrown out of an events stream that meets an event this program cannot read. */
export class UndecodableEventError extends Error {
  readonly undecodable: UndecodableEvent;
  constructor(undecodable: UndecodableEvent) {
    const { stream, revision } = undecodable.stored;
    super(`event ${String(revision)} of ${stream} cannot be read: ${undecodable.reason}`);
    this.name = 'UndecodableEventError';
    this.undecodable = undecodable;
  }
}

/** A store of which each page is given when it has been admitted. */
const admitted = ({ readStream }: EventStore, admitPage: AdmitPage): Pick<EventStore, 'readStream'> => ({
  async *readStream(stream, range) {
    if (!(await admitPage())) throw new PageRefused();
    for await (const page of readStream(stream, range)) {
      if (!(await admitPage())) throw new PageRefused();
      yield page;
    }
  },
});

/** What a stream of events has thrown. */
export const loadFailureOf = (thrown: unknown): LoadFailure =>
  thrown instanceof UndecodableEventError ? thrown.undecodable : asStoreUnavailable(thrown);

const rangeOf = (asOf: AsOf): StreamRange =>
  asOf._tag === 'AtRevision' ? { direction: 'forwards', limit: Number(asOf.revision) + 1 } : { direction: 'forwards' };

/** The history of one kind of entity, read from the streams themselves. */
export const makeHistory = <State, Event extends DomainEvent>(deps: HistoryDeps<State, Event>): History<State> => {
  const { store, serde, fold, telling, category } = deps;
  const streamOf = (id: string): StreamName => `${category}-${id}`;

  const stateAsOf: History<State>['stateAsOf'] = async (id, asOf, admitPage) => {
    let then: StateThen<State> | undefined;
    const outcome = await forEachEvent(
      admitted(store, admitPage),
      serde,
      streamOf(id),
      rangeOf(asOf),
      ({ event, metadata, revision }) => {
        if (asOf._tag === 'AtTime' && new Date(metadata.at) > asOf.at) return false;
        then = { state: fold.evolve(then?.state ?? fold.initialState, event, metadata), revision };
        return true;
      },
    );
    if (E.isLeft(outcome)) return outcome;
    const isBeyond = asOf._tag === 'AtRevision' && then?.revision !== asOf.revision;
    return E.right(isBeyond ? O.none : O.fromNullable(then));
  };

  async function* render(
    id: string,
    { proof, ...range }: EventsRequest,
    admitPage: AdmitPage | undefined,
  ): AsyncGenerator<EventsPage, void, undefined> {
    const { readStream } = admitPage === undefined ? store : admitted(store, admitPage);
    for await (const page of readStream(streamOf(id), range)) {
      const bodies = page.map((stored) => {
        const decoded = serde.decode(stored);
        if (E.isLeft(decoded)) throw new UndecodableEventError(decoded.left);
        return renderEvent(telling, stored, decoded.right, proof);
      });
      const last = page.at(-1);
      if (last !== undefined) yield { bodies, last: last.revision };
    }
  }

  const exists = async (id: string): Promise<boolean> => {
    for await (const page of store.readStream(streamOf(id), { direction: 'forwards', limit: 1 }))
      if (page.length > 0) return true;
    return false;
  };

  const events: History<State>['events'] = async (id, request, admitPage) => {
    const pages = render(id, request, admitPage);
    try {
      const first = await pages.next();
      if (first.done === true) return (await exists(id)) ? E.right(noPages) : E.left({ _tag: 'NeverExisted' });
      return E.right(continued(first.value, pages));
    } catch (error) {
      return E.left(loadFailureOf(error));
    }
  };

  return { stateAsOf, events };
};

const noPages: AsyncIterable<EventsPage> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }),
};

/** `first` and then the rest. No generator: one that was never started would not release `rest` when it is left. */
const continued = (first: EventsPage, rest: AsyncGenerator<EventsPage, void, undefined>): AsyncIterable<EventsPage> => {
  let pending: EventsPage | undefined = first;
  const next = (): Promise<IteratorResult<EventsPage, void>> => {
    if (pending === undefined) return rest.next();
    const value = pending;
    pending = undefined;
    return Promise.resolve({ done: false, value });
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: () => rest.return() }) };
};
