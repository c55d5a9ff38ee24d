import type { Direction, StreamRange } from '../../../../event-sourcing/event-store.js';
import { FIRST_PAGE } from '../../../../event-sourcing/first-page.js';
import type { StreamName } from '../../../../event-sourcing/recorded-event.js';
import { type EventBytes, StreamPage } from '../../../../event-sourcing/stream-page.js';
import { bigintArray, textArray } from '../../../../postgres/binary-array.js';
import { makeCoalescedReads } from '../../../../postgres/coalesced-rows.js';
import type { Rows } from '../../../../postgres/rows.js';
import type { Statement } from '../../../../postgres/statement.js';
import { bytesAt, EventRow } from './event-rows.js';
import { OF_STREAM, ORDINAL, queries } from './queries.js';
import type { Clock } from '../../../../event-sourcing/clock.js';

/** First pages that one statement reads. */
const AT_ONCE = 32;

type Wanted = Required<Pick<StreamRange, 'from' | 'limit'>> & { readonly stream: StreamName };

type ReadFirstPage = (
  stream: StreamName,
  range: Required<Pick<StreamRange, 'direction' | 'from' | 'limit'>>,
) => Promise<StreamPage>;

const keyOf = ({ stream, from, limit }: Wanted): string => `${from} ${limit} ${stream}`;

/** One row more than a page may have tells whether there is more. */
const rowsFor = ({ limit }: Wanted): number => Math.min(limit, FIRST_PAGE.events + 1);

/** A page in its making. It ends before the first event whose texts were left out, or that does not fit. */
type Growing = { readonly events: Array<EventBytes>; bytes: number; isCut: boolean };

const add = (page: Growing, rows: Rows, row: number, stream: StreamName): void => {
  if (page.isCut) return;
  const bytes = rows.isNull(row, OF_STREAM.data) ? Infinity : page.bytes + bytesAt(rows, row, OF_STREAM);
  page.isCut = bytes > FIRST_PAGE.bytes || page.events.length === FIRST_PAGE.events;
  if (page.isCut) return;
  page.bytes = bytes;
  page.events.push(new EventRow(rows, row, stream));
};

const pagesIn = (rows: Rows, wanted: ReadonlyArray<Wanted>): ReadonlyMap<string, StreamPage> => {
  const pages = wanted.map((): Growing => ({ events: [], bytes: 0, isCut: false }));
  for (let row = 0; row < rows.count; row += 1) {
    const index = Number(rows.ascii(row, ORDINAL)) - 1;
    const [page, of] = [pages[index], wanted[index]];
    if (page !== undefined && of !== undefined) add(page, rows, row, of.stream);
  }
  return new Map(
    wanted.map((of, index) => {
      const { events, isCut } = pages[index] ?? { events: [], isCut: true };
      return [keyOf(of), new StreamPage(events, !isCut)];
    }),
  );
};

/**
 * Reads what ranges begin with, those of several streams by one statement: for short histories, most of the time of a
 * read is the statement's. A page is empty, and not the last, where the first event is too large for it.
 */
export const makeReadFirstPage = (clock: Clock, read: (statement: Statement) => Promise<Rows>): ReadFirstPage => {
  const makeRead = (direction: Direction): ((wanted: Wanted) => Promise<StreamPage | undefined>) =>
    makeCoalescedReads(
      clock,
      keyOf,
      async (wanted) => {
        const values = [
          textArray(wanted.map(({ stream }) => stream)),
          bigintArray(wanted.map(({ from }) => from)),
          bigintArray(wanted.map((each) => BigInt(rowsFor(each)))),
        ];
        return pagesIn(await read({ ...queries.first[direction], values }), wanted);
      },
      AT_ONCE,
    );
  const reads = { forwards: makeRead('forwards'), backwards: makeRead('backwards') };
  return async (stream, { direction, from, limit }) =>
    (await reads[direction]({ stream, from, limit })) ?? new StreamPage([]);
};
