import { expect } from 'chai';
import { hasValue } from '../../src/read/has-value.js';

const body = (data: string): string => `{"_id":"x","name":"n","data":${data},"reason":"why"}`;

describe('a value in the data of an event', () => {
  it('is a text, or the JSON of a number or truth value, at whatever depth', () => {
    const data = body('{"a":"x","b":[1,{"c":"y","d":-0.5}],"e":{"f":true},"g":null}');
    for (const value of ['x', 'y', '1', '-0.5', 'true']) expect(hasValue(data, value), value).to.equal(true);
  });

  it('is no name of a member, no part of a text, nothing outside of the data, and not null', () => {
    const data = body('{"a":"xy","b":{"c":12},"d":null,"e":[]}');
    for (const value of ['a', 'c', 'x', '2', 'null', '', 'n', 'why', '[]', '{}'])
      expect(hasValue(data, value), value).to.equal(false);
    expect(hasValue('{"_id":"x"}', 'x')).to.equal(false);
    expect(hasValue(body('null'), 'null')).to.equal(false);
  });

  it('is found and missed where data is nested a hundred thousand times', () => {
    const deep = body(`${'['.repeat(100_000)}"x"${']'.repeat(100_000)}`);
    expect([hasValue(deep, 'x'), hasValue(deep, 'y')]).to.deep.equal([true, false]);
  });
});
