import { expect } from 'chai';
import * as fc from 'fast-check';
import { canonicalJson, type Json } from '../../src/event-sourcing/canonical-json.js';

// reason: JSON.parse gives nothing but Json
const parse = (text: string): Json => JSON.parse(text) as Json;

/** Appendix B of RFC 8785: IEEE 754 bits and what they are written as. */
const numbers: ReadonlyArray<readonly [bits: string, text: string]> = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
];

describe('canonical JSON', () => {
  for (const [bits, text] of numbers)
    it(`writes the number with the bits ${bits} as ${text}`, () => {
      expect(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE())).to.equal(text);
    });

  it('writes the example of section 3.2.2 of RFC 8785', () => {
    const example = parse(
      String.raw`{
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
      }`,
    );
    expect(canonicalJson(example)).to.equal(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('sorts keys by UTF-16 code units, as section 3.2.3 of RFC 8785 has it', () => {
    const example = parse(
      String.raw`{
        "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
      }`,
    );
    expect(Object.values(parse(canonicalJson(example)) as object)).to.have.length(7); // reason: an object was written
    expect(canonicalJson(example)).to.equal(
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis",' +
        '"€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    );
  });

  it('leaves absent members out, at the edges too', () => {
    expect(canonicalJson({ a: undefined, b: 1, c: undefined })).to.equal('{"b":1}');
    expect(canonicalJson({ a: undefined })).to.equal('{}');
  });

  it('refuses a number that JSON cannot carry', () => {
    for (const number of [NaN, Infinity, -Infinity]) expect(() => canonicalJson([number])).to.throw(RangeError);
  });

  it('says the same whatever order the keys came in, and says it all', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = canonicalJson(value); // reason: fast-check's JSON values are JSON
        const back = parse(text);
        const backwards = (json: Json): Json =>
          typeof json !== 'object' || json === null
            ? json
            : Array.isArray(json)
              ? (json as ReadonlyArray<Json>).map(backwards)
              : Object.fromEntries(
                  Object.entries(json)
                    .reverse()
                    .map(([key, member]) => [key, backwards(member as Json)]), // reason: parsed, so never absent
                );
        expect(canonicalJson(backwards(back))).to.equal(text);
        expect(back).to.deep.equal(parse(JSON.stringify(value)));
      }),
    );
  });
});
