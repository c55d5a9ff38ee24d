import { isDeepStrictEqual } from 'node:util';
import { covers, type ErasedEvents } from '../../../src/event-sourcing/erasure/erased-events.js';
import type { NotedErasure } from '../erasures.js';
import type { LedgerEvent, SeenEvent, Shown } from './states.js';

/** An erasure that a history tells of. */
export type Erasure = Pick<NotedErasure, 'events' | 'began' | 'ended'> & {
  /** The revision of the event that says so. */
  readonly at: number;
  /** Who has folded the events before this one while they had their data, and those from it on without. Default: none had. */
  readonly from?: number;
};

/** What a record shows from when to when: events of which nothing is left change nothing. */
type During = { readonly began: number; readonly ended: number };

export const saysErased = ({ name }: SeenEvent): boolean => name.endsWith('Erased');

// reason: what these events say
const erasedIn = ({ data }: SeenEvent): ErasedEvents => data['events'] as ErasedEvents;

/** The erasures that a history tells of. Those that nobody has begun, began never. */
export const erasuresIn = (
  events: ReadonlyArray<SeenEvent>,
  noted: ReadonlyArray<NotedErasure>,
): ReadonlyArray<Erasure> =>
  events.filter(saysErased).map((event) => {
    const { entity, entityType, revision: at } = event;
    const erased = erasedIn(event);
    const found = noted.find(
      ({ stream, events: some }) =>
        stream === `${entityType.toLowerCase()}-${entity}` && isDeepStrictEqual(some, erased),
    );
    return { at, events: erased, began: found?.began ?? Infinity, ended: found?.ended ?? Infinity };
  });

export const isCoveredBy =
  ({ events, at, from = 0 }: Erasure) =>
  (event: SeenEvent): boolean =>
    !saysErased(event) && event.revision >= from && covers(events, BigInt(at), BigInt(event.revision));

/** Each choice of erasures that may have been carried out, as far as anybody could see who looked from when to when. */
export const carriedOutIn = (
  erasures: ReadonlyArray<Erasure>,
  { began, ended }: During,
): ReadonlyArray<ReadonlyArray<Erasure>> =>
  erasures.reduce<ReadonlyArray<ReadonlyArray<Erasure>>>(
    (choices, erasure) => {
      const withIt = choices.map((choice) => [...choice, erasure]);
      if (erasure.ended < began) return withIt;
      if (erasure.began > ended) return choices;
      const inPart = Array.from({ length: erasure.at }, (_, from) => ({ ...erasure, from }));
      return [...choices, ...inPart.flatMap((part) => choices.map((choice) => [...choice, part]))];
    },
    [[]],
  );

/** The ledger in the end, and as it would be if nothing had been erased. */
type Ledgers = { readonly shown: ReadonlyArray<LedgerEvent>; readonly written: ReadonlyArray<LedgerEvent> };

/** Nothing is left of what was erased, and all of the rest. */
export const leftFaults = (
  { shown, written }: Ledgers,
  erasuresOf: (entity: string) => ReadonlyArray<Erasure>,
): ReadonlyArray<string> =>
  shown.flatMap((event, index) => {
    const isErased = erasuresOf(event.entity).some((erasure) => isCoveredBy(erasure)(event));
    const { type, data, reason } = event;
    const where = `revision ${event.revision} of ${event.entity}`;
    if (isErased && (type !== 'erased' || reason !== undefined || !isDeepStrictEqual(data, {})))
      return [`${where} is erased, and shows ${JSON.stringify(event)}`];
    if (!isErased && !isDeepStrictEqual(event, written[index])) return [`${where} was not erased, and has changed`];
    return saysErased(event) &&
      !erasuresOf(event.entity).some(({ at, began }) => at === event.revision && began < Infinity)
      ? [`${where} says that something was erased, which nobody has begun`]
      : [];
  });

/**
 * Holds what was shown of events to what they are and were: with their data until they are erased, without it from then on, and
 * where one process has shown them without it, it does not show it again.
 */
export const shownFaults = (
  all: ReadonlyArray<Shown>,
  { shown, written }: Ledgers,
  erasuresOf: (entity: string) => ReadonlyArray<Erasure>,
): ReadonlyArray<string> => {
  const places = new Map(shown.map(({ entity, revision }, index) => [`${entity} ${revision}`, index]));
  const faults: Array<string> = [];
  /** By process, the way and the event: since when it was shown as erased. */
  const since = new Map<object, Map<string, number>>();
  for (const { where, way, process, began, ended, events } of all.toSorted((one, other) => one.ended - other.ended)) {
    const known = since.get(process) ?? new Map<string, number>();
    since.set(process, known);
    if (way === 'history' && events.some(({ revision }, place) => revision !== place))
      faults.push(`${where} has shown another history`);
    for (const event of events) {
      const place = places.get(`${event.entity} ${event.revision}`) ?? -1;
      const same = (one: LedgerEvent): boolean =>
        isDeepStrictEqual({ ...one, ...event, index: event.index ?? one.index }, one);
      const [after, before] = [shown[place], written[place]];
      const [isAfter, isBefore] = [after !== undefined && same(after), before !== undefined && same(before)];
      const what = `${where} shows revision ${event.revision} of ${event.entity}`;
      if (!isAfter && !isBefore) faults.push(`${what} as another event`);
      if (isAfter === isBefore) continue;
      const erasures = erasuresOf(event.entity).filter((erasure) => isCoveredBy(erasure)(event));
      const key = `${way} ${place}`;
      if (isAfter && erasures.every((erasure) => ended < erasure.began))
        faults.push(`${what} as erased, which it is not yet`);
      if (isBefore && erasures.some((erasure) => erasure.ended < began))
        faults.push(`${what}, which was erased before`);
      if (isBefore && (known.get(key) ?? Infinity) < began) faults.push(`${what}, and has shown it as erased`);
      if (isAfter) known.set(key, Math.min(known.get(key) ?? Infinity, ended));
    }
  }
  return faults;
};
