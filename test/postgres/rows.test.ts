import { expect } from 'chai';
import * as fc from 'fast-check';
import { RowReader } from '../../src/postgres/rows.js';

type Row = ReadonlyArray<string | null>;

const message = (code: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(code);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
};

const int = (value: number, bytes: 2 | 4): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeIntBE(value, 0, bytes);
  return buffer;
};

const rowMessage = (row: Row): Buffer => {
  const values = row.map((value) =>
    value === null ? int(-1, 4) : Buffer.concat([int(Buffer.byteLength(value), 4), Buffer.from(value)]),
  );
  return message('D', Buffer.concat([int(row.length, 2), ...values]));
};

const bound = message('2', Buffer.alloc(0));
const notice = message('N', Buffer.from('SNOTICE\0\0'));
const complete = message('C', Buffer.from('SELECT 3\0'));
const ready = message('Z', Buffer.from('I'));

/** The chunks between the places, as a socket gives them. */
const cut = (bytes: Buffer, places: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  const sorted = [
    0,
    ...places.map((place) => place % bytes.length).toSorted((one, other) => one - other),
    bytes.length,
  ];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
};

const rowsOf = fc.integer({ min: 1, max: 4 }).chain((columns) =>
  fc.array(
    fc.array(fc.option(fc.string({ unit: 'binary', maxLength: 20 })), { minLength: columns, maxLength: columns }),
    {
      maxLength: 8,
    },
  ),
);

describe('the rows in an answer of Postgres', () => {
  it('are those that were sent, wherever the socket cuts the answer', () => {
    fc.assert(
      fc.property(rowsOf, fc.array(fc.nat(), { maxLength: 6 }), (sent, places) => {
        const reader = new RowReader();
        const forDriver: Array<Buffer> = [];
        const unread: Array<Buffer> = [];
        const answer = Buffer.concat([bound, notice, ...sent.map(rowMessage), complete, ready, notice]);
        for (const chunk of cut(answer, places)) {
          const rest = unread.length > 0 ? chunk : reader.take(chunk, (each) => void forDriver.push(Buffer.from(each)));
          if (rest !== undefined) unread.push(rest);
        }
        const rows = reader.rows();
        const read = Array.from({ length: rows.count }, (_, row) =>
          (sent[row] ?? []).map((_value, column) => (rows.isNull(row, column) ? null : rows.text(row, column))),
        );
        expect(read).to.deep.equal(sent);
        expect(Buffer.concat(forDriver)).to.deep.equal(notice);
        expect(Buffer.concat(unread)).to.deep.equal(Buffer.concat([ready, notice]));
      }),
    );
  });

  it('give each value as text, as bytes, as a string of bytes, copied and measured', () => {
    fc.assert(
      fc.property(rowsOf, (sent) => {
        const reader = new RowReader();
        reader.take(Buffer.concat(sent.map(rowMessage)), () => undefined);
        const rows = reader.rows();
        for (const [row, values] of sent.entries())
          for (const [column, value] of values.entries()) {
            expect(rows.size(row, column)).to.equal(Buffer.byteLength(value ?? ''));
            if (value === null) continue;
            const bytes = Buffer.from(value);
            const copy = Buffer.alloc(bytes.length + 1);
            expect(rows.copy(row, column, copy, 1)).to.equal(bytes.length);
            expect([rows.value(row, column), copy.subarray(1)]).to.deep.equal([bytes, bytes]);
            expect(rows.byteString(row, column)).to.equal(bytes.toString('latin1'));
          }
      }),
    );
  });
});
