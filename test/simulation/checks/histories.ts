import type { Kind, LedgerEvent } from '../clients/told.js';
import type { History } from './commands.js';
import { statesOf } from './states.js';

type HistoryOfKind = Omit<History, 'events'> & {
  readonly kind: Kind;
  readonly events: ReadonlyArray<LedgerEvent>;
};

/** The history of each record, by its id. */
export const historiesOf = (ledger: ReadonlyArray<LedgerEvent>): ReadonlyMap<string, HistoryOfKind> => {
  const byRecord = new Map<string, Array<LedgerEvent>>();
  for (const event of ledger) byRecord.set(event.entity, [...(byRecord.get(event.entity) ?? []), event]);
  return new Map(
    [...byRecord].map(([record, events]) => [
      record,
      // reason: the simulation has no others
      { record, events, states: statesOf(events), kind: (events[0]?.entityType ?? '') as Kind },
    ]),
  );
};

/** An event as its history shows it. */
export const withoutIndex = ({ index: _, ...event }: LedgerEvent): Omit<LedgerEvent, 'index'> => event;
