import { appendBytes, MAX_APPEND_BYTES } from '../append-limits.js';
import type { NewEvent, StoredEvent } from '../recorded-event.js';
import type { Append } from './log-target.js';

/** Events of one append, at most: as many as a page of a read has. */
const MOST_EVENTS = 500;

type Group = [first: StoredEvent, ...others: Array<StoredEvent>];

const toNew = ({ id, type, data, metadata }: StoredEvent): NewEvent => ({ id, type, data, metadata });

const toAppend = ([first, ...others]: Group): Append => ({
  stream: first.stream,
  expected: first.revision === 0n ? 'no-stream' : first.revision - 1n,
  events: [toNew(first), ...others.map(toNew)],
});

/** The appends that store these events again in this order: neighbours of one stream share an append. */
export const gatherAppends = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<Append> => {
  const groups: Array<Group> = [];
  let bytes = 0;
  for (const event of events) {
    const size = appendBytes([event]);
    const group = groups.at(-1);
    const fits = group !== undefined && group.length < MOST_EVENTS && bytes + size <= MAX_APPEND_BYTES;
    if (fits && group[0].stream === event.stream) {
      group.push(event);
      bytes += size;
    } else {
      groups.push([event]);
      bytes = size;
    }
  }
  return groups.map(toAppend);
};
