import type { Clock } from '../event-sourcing/clock.js';
import { either as E, option as O } from 'fp-ts';
import type { Fold } from '../event-sourcing/decider.js';
import type { EventStore, StoreUnavailable, StreamRange } from '../event-sourcing/event-store.js';
import { type LoadFailure, forEachEvent } from '../event-sourcing/for-each-event.js';
import type { Position, Revision, StreamName } from '../event-sourcing/recorded-event.js';
import { type DomainEvent, occurrenceOf, type Serde } from '../event-sourcing/serde.js';
import { isSkipped } from '../event-sourcing/passed-over.js';
import { type Admission, type AdmitPage, PageNotAdmitted } from './admit-page.js';
import { type Events, type EventsRequest, makeEventReads, type NeverExisted } from './entity-events.js';
import { type Comparison, makeEventDiffs } from './event-diffs.js';
import { type EventDescription, makeRenderEvents } from './event-view.js';
import type { Lifecycle } from './record-body.js';
import { type Change, makeDiffedReads, makeReadChanges, type Span } from './diffed-events.js';

/** A point in an entity's history, inclusive: a revision, an instant, or its end. */
export type AsOf =
  | { readonly _tag: 'AtRevision'; readonly revision: Revision }
  | { readonly _tag: 'AtTime'; readonly at: Date }
  | { readonly _tag: 'Now' };

/** `position`: of the event at its revision. */
export type StateThen<State> = Lifecycle & { readonly state: State; readonly position: Position };

export type History<State> = {
  /**
   * The state as the stream had it then; none before its first event or past its last revision. `until`, of
   * `Clock.monotonic`: when the log must have begun to give the stream.
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
   * An entity's events; none after `newest`, where that is known. Of a body in parts, what fails within the first two is a
   * value; later failures are thrown out of the iterator.
   */
  readonly events: (
    id: string,
    request: EventsRequest,
    admission: Admission,
    newest?: Revision,
  ) => Promise<E.Either<LoadFailure | NeverExisted, Events>>;
  /** What the events of a span changed, in the direction; throws what keeps them from being read. */
  readonly changes: (
    id: string,
    span: Span,
    direction: EventsRequest['direction'],
    admitPage: AdmitPage,
  ) => AsyncGenerator<Change>;
};

type HistoryDeps<State, Event extends DomainEvent, Folded extends DomainEvent> = {
  readonly clock: Clock;
  readonly store: EventStore;
  /** Of the events as they are shown. */
  readonly serde: Serde<Event>;
  /** How states are made of them. */
  readonly folding: { readonly serde: Serde<Folded>; readonly fold: Fold<State, Folded> };
  readonly description: EventDescription<Event>;
  readonly comparison: Comparison<State>;
  readonly category: string;
};

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

const rangeOf = (asOf: AsOf): StreamRange =>
  asOf._tag === 'AtRevision' ? { direction: 'forwards', limit: Number(asOf.revision) + 1 } : { direction: 'forwards' };

/** The history of one kind of entity, read from the streams themselves. */
export const makeHistory = <State, Event extends DomainEvent, Folded extends DomainEvent>(
  deps: HistoryDeps<State, Event, Folded>,
): History<State> => {
  const { clock, store, serde, folding, description, comparison, category } = deps;
  const streamOf = (id: string): StreamName => `${category}-${id}`;

  const stateAsOf: History<State>['stateAsOf'] = async (id, asOf, admitPage, until) => {
    const { fold } = folding;
    let then: StateThen<State> | undefined;
    let createdAt: string | undefined;
    const outcome = await forEachEvent(
      admitted(store, admitPage),
      folding.serde,
      streamOf(id),
      { ...rangeOf(asOf), until },
      (recorded) => {
        const { event, metadata, revision, position } = recorded;
        if (asOf._tag === 'AtTime' && new Date(metadata.at) > asOf.at) return false;
        const state = fold.evolve(then?.state ?? fold.initialState, event, occurrenceOf(recorded));
        // the times of the row, too, are those of the events that are not skipped
        const updatedAt = then !== undefined && isSkipped(event) ? then.updatedAt : metadata.at;
        if (!isSkipped(event)) createdAt ??= updatedAt;
        then = { state, revision, position, createdAt: createdAt ?? updatedAt, updatedAt };
        return true;
      },
    );
    if (E.isLeft(outcome)) return outcome;
    const isBeyond = asOf._tag === 'AtRevision' && then?.revision !== asOf.revision;
    return E.right(isBeyond ? O.none : O.fromNullable(then));
  };

  const render = makeRenderEvents(serde, description);
  const { newestRevision, events } = makeEventReads(clock, store, render);
  const diffs = makeEventDiffs(folding.serde, folding.fold, comparison);
  const readChanges = makeReadChanges(clock, store, diffs);
  const diffedEvents = makeDiffedReads({ clock, store, newestRevision, render, diffs });

  return {
    stateAsOf,
    newestRevision: (id) => newestRevision(streamOf(id)),
    changes: (id, ...asked) => readChanges(streamOf(id), ...asked),
    events: (id, request, ...asked) => (request.diff === true ? diffedEvents : events)(streamOf(id), request, ...asked),
  };
};
