import { isDeepStrictEqual } from 'node:util';
import type { LedgerEvent, Told } from '../clients/told.js';
import { commandFaults } from './commands.js';
import { feedFaults, type Sent } from './feeds.js';
import { historiesOf, withoutIndex } from './histories.js';
import { listFaults, readsOfList } from './lists.js';
import { type Read, readFaults } from './reads.js';

/** Holds all that clients were told to the ledger, as it is in the end. */
export const toldFaults = (told: Told, ledger: ReadonlyArray<LedgerEvent>): ReadonlyArray<string> => {
  const histories = historiesOf(ledger);
  const all = [...histories.values()];
  const commands = new Map(told.commands.map((command) => [command.mark, command]));
  const reads = new Map<string, Array<Read>>(all.map(({ record }) => [record, []]));
  const faults: Array<string> = [];
  for (const read of [...told.reads, ...told.lists.flatMap((list) => readsOfList(list, all))]) {
    const ofRecord = reads.get(read.record);
    if (ofRecord === undefined) faults.push(`${read.record} has no history, and ${read.where} shows it`);
    else ofRecord.push(read);
  }
  for (const event of told.ledger)
    if (!isDeepStrictEqual(event, ledger[event.index]))
      faults.push(`the ledger has shown another event at ${event.index}`);
  for (const { record, where, events } of told.histories) {
    const known = histories.get(record)?.events.slice(0, events.length) ?? [];
    if (!isDeepStrictEqual(events, known.map(withoutIndex))) faults.push(`${where} has shown another history`);
  }
  const ids = new Set(histories.keys());
  const sentOf = (record: string | undefined): ReadonlyArray<Sent> =>
    ledger
      .filter(({ entity }) => record === undefined || entity === record)
      .map(({ index, _id: id }) => ({ index, id }));
  return [
    ...faults,
    ...commandFaults(told.commands, histories),
    ...all.flatMap((history) => readFaults(history, reads.get(history.record) ?? [], commands)),
    ...told.lists.flatMap((list) => listFaults(list, ids)),
    ...told.feeds.flatMap(({ feed, record, sent }) => feedFaults(feed, sent, sentOf(record))),
  ];
};
