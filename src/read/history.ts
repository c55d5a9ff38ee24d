import { either as E, option as O } from 'fp-ts';
import { answerDeadline } from '../event-sourcing/answer-deadline.js';
import type { Fold } from '../event-sourcing/decider.js';
import { attempt } from '../event-sourcing/attempt.js';
import {
  asStoreUnavailable,
  type EventStore,
  type StoreUnavailable,
  type StreamRange,
} from '../event-sourcing/event-store.js';
import { type LoadFailure, forEachEvent } from '../event-sourcing/for-each-event.js';
import { newestRevision as newestRevisionOf } from '../event-sourcing/newest-revision.js';
import type { Revision, StreamName } from '../event-sourcing/recorded-event.js';
import { type AdmitPage, PageNotAdmitted } from './admit-page.js';
import type { DomainEvent, Serde, UndecodableEvent } from '../event-sourcing/serde.js';
import { type EventDescription, renderEvent } from './event-view.js';
import { type Pages, readAhead } from './read-ahead.js';

/** The entity has no stream: it never existed. */
export type NeverExisted = { readonly _tag: 'NeverExisted' };

/** A point in an entity's history, inclusive: a revision, an instant, or its end. */
export type AsOf =
  | { readonly _tag: 'AtRevision'; readonly revision: Revision }
  | { readonly _tag: 'AtTime'; readonly at: Date }
  | { readonly _tag: 'Now' };

export type StateThen<State> = { readonly state: State; readonly revision: Revision };

export type EventsRequest = Pick<StreamRange, 'direction' | 'from' | 'limit'> & { readonly proof: boolean };

/** The JSON texts of some events, in the order asked for. */
export type EventsPage = ReadonlyArray<string>;

export type History<State> = {
  /**
   * The state as the stream had it then; none before its first event or past its last revision. `until`, of
   * `performance.now`: when the log must have begun to give the stream.
   */
  readonly stateAsOf: (
    id: string,
    asOf: AsOf,
    admitPage: AdmitPage,
    until: number,
  ) => Promise<E.Either<LoadFailure, O.Option<StateThen<State>>>>;
  /** Of the newest event of an entity. */
  readonly newestRevision: (id: string) => Promise<E.Either<StoreUnavailable | NeverExisted, Revision>>;
  /**
   * Pages of an entity's events. What fails within the first two is a value; later failures are thrown out of the
   * iterator.
   */
  readonly events: (
    id: string,
    request: EventsRequest,
    admitPage?: AdmitPage,
  ) => Promise<E.Either<LoadFailure | NeverExisted, Pages<EventsPage>>>;
};

type HistoryDeps<State, Event extends DomainEvent> = {
  readonly store: EventStore;
  readonly serde: Serde<Event>;
  readonly fold: Fold<State, Event>;
  readonly description: EventDescription<Event>;
  readonly category: string;
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

/** The streams of a store; each page waits until it is admitted. */
const admitted = ({ readStream }: EventStore, admitPage: AdmitPage): Pick<EventStore, 'readStream'> => ({
  async *readStream(stream, range) {
    if (!(await admitPage())) throw new PageNotAdmitted();
    for await (const page of readStream(stream, range)) {
      if (!(await admitPage())) throw new PageNotAdmitted();
      yield page;
    }
  },
});

const loadFailureOf = (thrown: unknown): LoadFailure =>
  thrown instanceof UndecodableEventError ? thrown.undecodable : asStoreUnavailable(thrown);

const rangeOf = (asOf: AsOf): StreamRange =>
  asOf._tag === 'AtRevision' ? { direction: 'forwards', limit: Number(asOf.revision) + 1 } : { direction: 'forwards' };

/** The history of one kind of entity, read from the streams themselves. */
export const makeHistory = <State, Event extends DomainEvent>(deps: HistoryDeps<State, Event>): History<State> => {
  const { store, serde, fold, description, category } = deps;
  const streamOf = (id: string): StreamName => `${category}-${id}`;

  const stateAsOf: History<State>['stateAsOf'] = async (id, asOf, admitPage, until) => {
    let then: StateThen<State> | undefined;
    const outcome = await forEachEvent(
      admitted(store, admitPage),
      serde,
      streamOf(id),
      { ...rangeOf(asOf), until },
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
    for await (const page of readStream(streamOf(id), { ...range, until: answerDeadline() })) {
      const texts = page.map((stored) => {
        const decoded = serde.decode(stored);
        if (E.isLeft(decoded)) throw new UndecodableEventError(decoded.left);
        return renderEvent(description, stored, decoded.right, proof);
      });
      if (texts.length > 0) yield texts;
    }
  }

  const newestRevision: History<State>['newestRevision'] = async (id) => {
    const newest = await newestRevisionOf(store, streamOf(id));
    if (E.isLeft(newest)) return newest;
    return newest.right === 'no-stream' ? E.left({ _tag: 'NeverExisted' }) : E.right(newest.right);
  };

  const events: History<State>['events'] = async (id, request, admitPage) => {
    const pages = await attempt(() => readAhead(render(id, request, admitPage)), loadFailureOf);
    if (E.isLeft(pages) || !pages.right.isEmpty) return pages;
    // either there is no such stream, or the range lies beyond its last event
    const newest = await newestRevision(id);
    return E.isLeft(newest) ? newest : pages;
  };

  return { stateAsOf, newestRevision, events };
};
