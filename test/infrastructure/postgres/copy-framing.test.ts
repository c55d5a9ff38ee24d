import { expect } from 'chai';
import fc from 'fast-check';
import { makeCopyFraming } from '../../../src/infrastructure/postgres/read-models/copy-framing.js';

const message = (code: string, payload: Buffer): Buffer => {
  const head = Buffer.from(`${code}....`);
  head.writeInt32BE(payload.length + 4, 1);
  return Buffer.concat([head, payload]);
};

const FILE_HEADER = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);

const row = (text: string): Buffer => {
  const body = Buffer.from(text);
  const head = Buffer.alloc(6);
  head.writeInt16BE(1, 0);
  head.writeInt32BE(body.length, 2);
  return Buffer.concat([head, body]);
};

const COPY_OUT = message('H', Buffer.from([1, 0, 1, 0, 1]));
const TRAILER = Buffer.from([0xff, 0xff]);

/** What Postgres sends: its header travels with the first row, or with the trailer where there is none. */
const copyOut = (texts: ReadonlyArray<string>): Buffer => {
  const [first, ...rest] = [...texts.map(row), TRAILER];
  return Buffer.concat([
    COPY_OUT,
    message('d', Buffer.concat([FILE_HEADER, first])),
    ...rest.flatMap((payload) => [message('d', payload), message('N', Buffer.from('a notice'))]),
  ]);
};

const END = message('c', Buffer.alloc(0));

const overwritten = (bytes: Buffer, cuts: ReadonlyArray<number>) => {
  const framing = makeCopyFraming();
  const edges = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
  const pieces = edges.slice(1).map((end, i) => framing.take(Buffer.from(bytes.subarray(edges[i], end))));
  return { json: Buffer.concat(pieces.map(({ json }) => json)).toString(), rest: pieces.map(({ rest }) => rest) };
};

describe('the framing of a copy', () => {
  it('becomes the framing of a JSON array, wherever the bytes are cut', () => {
    const texts = fc.array(fc.json().map((text) => text.trim()));
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { maxLength: 20 }), (rows, cuts) => {
        const { json } = overwritten(copyOut(rows), cuts);
        expect(JSON.parse(json)).to.deep.equal(rows.map((text) => JSON.parse(text) as unknown));
        expect(json.slice(0, 1 + (rows[0] ?? ']').length)).to.equal(`[${rows[0] ?? ']'}`);
      }),
    );
  });

  it('ends where the messages begin that are the driver’s', () => {
    const { json, rest } = overwritten(Buffer.concat([copyOut(['1', '2']), END]), []);
    expect(JSON.parse(json)).to.deep.equal([1, 2]);
    expect(rest).to.deep.equal([END]);
  });

  it('leaves an error to the driver, in the middle of the rows too', () => {
    const error = message('E', Buffer.from('SERROR\0\0'));
    expect(overwritten(error, [])).to.deep.equal({ json: '', rest: [error] });
    const rows = Buffer.concat([FILE_HEADER, row('1'), row('2')]);
    const { json, rest } = overwritten(Buffer.concat([COPY_OUT, message('d', rows), error]), []);
    expect(rest).to.deep.equal([error]);
    expect(() => JSON.parse(json) as unknown).to.throw(SyntaxError);
  });
});
