import type { Told } from '../clients/told.js';
import { commandFaults } from './commands.js';
import type { NotedErasure } from '../erasures.js';
import { leftFaults, shownFaults } from './erased.js';
import type { LedgerEvent } from './states.js';
import { feedFaults, type Sent } from './feeds.js';
import { historiesOf } from './histories.js';
import { listFaults, readsOfList } from './lists.js';
import { type Read, readFaults } from './reads.js';

/** What was erased, and the ledger as it would be if nothing had been. */
type Erased = { readonly noted: ReadonlyArray<NotedErasure>; readonly written: ReadonlyArray<LedgerEvent> };

/** Holds all that clients were told to the ledger, as it is in the end. */
export const toldFaults = (
  told: Told,
  ledger: ReadonlyArray<LedgerEvent>,
  { noted, written }: Erased = { noted: [], written: ledger },
): ReadonlyArray<string> => {
  const histories = historiesOf(written, noted);
  const ledgers = { shown: ledger, written };
  const erasuresOf = (entity: string) => histories.get(entity)?.erasures ?? [];
  const all = [...histories.values()];
  const commands = new Map(told.commands.map((command) => [command.mark, command]));
  const reads = new Map<string, Array<Read>>(all.map(({ record }) => [record, []]));
  const faults: Array<string> = [];
  for (const read of [...told.reads, ...told.lists.flatMap((list) => readsOfList(list, all))]) {
    const ofRecord = reads.get(read.record);
    if (ofRecord === undefined) faults.push(`${read.record} has no history, and ${read.where} shows it`);
    else ofRecord.push(read);
  }
  const ids = new Set(histories.keys());
  const sentOf = (record: string | undefined): ReadonlyArray<Sent> =>
    ledger
      .filter(({ entity }) => record === undefined || entity === record)
      .map(({ index, _id: id }) => ({ index, id }));
  return [
    ...faults,
    ...shownFaults(told.shown, ledgers, erasuresOf),
    ...leftFaults(ledgers, erasuresOf),
    ...commandFaults(told.commands, histories),
    ...all.flatMap((history) => readFaults(history, reads.get(history.record) ?? [], commands)),
    ...told.lists.flatMap((list) => listFaults(list, ids)),
    ...told.feeds.flatMap(({ feed, record, sent }) => feedFaults(feed, sent, sentOf(record))),
  ];
};
