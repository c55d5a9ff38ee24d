import type { Kind } from '../clients/told.js';
import type { NotedErasure } from '../erasures.js';
import type { History } from './commands.js';
import { carriedOutIn, type Erasure, erasuresIn, isCoveredBy } from './erased.js';
import { type LedgerEvent, type State, statesOf } from './states.js';

type HistoryOfKind = Omit<History, 'events'> & {
  readonly kind: Kind;
  readonly events: ReadonlyArray<LedgerEvent>;
};

const KINDS: ReadonlyArray<string> = ['Business', 'Document'];

/** The states of a record, with some of its erasures carried out; each is computed once. */
const makeVersions = (events: ReadonlyArray<LedgerEvent>, erasures: ReadonlyArray<Erasure>): History['versionsIn'] => {
  const known = new Map<string, ReadonlyArray<State>>();
  return (during) =>
    carriedOutIn(erasures, during).map((carriedOut) => {
      const key = carriedOut.map(({ at, from = 0 }) => `${at} from ${from}`).join();
      const found = known.get(key) ?? statesOf(events, (event) => carriedOut.some((each) => isCoveredBy(each)(event)));
      known.set(key, found);
      return found;
    });
};

/** The history of each record, by its id; `noted`: what was erased of them. */
export const historiesOf = (
  ledger: ReadonlyArray<LedgerEvent>,
  noted: ReadonlyArray<NotedErasure> = [],
): ReadonlyMap<string, HistoryOfKind> => {
  const byRecord = new Map<string, Array<LedgerEvent>>();
  // the others are decisions of operators
  for (const event of ledger.filter(({ entityType }) => KINDS.includes(entityType)))
    byRecord.set(event.entity, [...(byRecord.get(event.entity) ?? []), event]);
  return new Map(
    [...byRecord].map(([record, events]) => {
      const erasures = erasuresIn(events, noted);
      return [
        record,
        {
          record,
          events,
          erasures,
          states: statesOf(events),
          versionsIn: makeVersions(events, erasures),
          // reason: see there
          kind: (events[0]?.entityType ?? '') as Kind,
        },
      ];
    }),
  );
};

/** An event as its history shows it. */
export const withoutIndex = ({ index: _, ...event }: LedgerEvent): Omit<LedgerEvent, 'index'> => event;
