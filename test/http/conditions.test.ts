import { expect } from 'chai';
import { evaluate } from '../../src/http/request/conditions.js';
import { matchesTag, parseEntityTags } from '../../src/http/request/entity-tags.js';

describe('entity tags', () => {
  const parsed: ReadonlyArray<readonly [string, ReturnType<typeof parseEntityTags>]> = [
    ['*', '*'],
    [' "1" ', ['"1"']],
    ['"1","2"', ['"1"', '"2"']],
    [',"1" ,, "a,b",', ['"1"', '"a,b"']],
    ['""', ['""']],
    ['W/"1", "2"', ['W/"1"', '"2"']],
    ['W/"1"', ['W/"1"']],
    ['', undefined],
    [',', undefined],
    ['1', undefined],
    ['"1', undefined],
    ['"1" "2"', undefined],
    ['"1";"2"', undefined],
    ['w/"1"', undefined],
    ['*, "1"', undefined],
    ['"a b"', undefined],
  ];
  for (const [header, tags] of parsed)
    it(`reads ${JSON.stringify(header)} as ${tags === undefined ? 'malformed' : JSON.stringify(tags)}`, () => {
      expect(parseEntityTags(header)).to.deep.equal(tags);
    });

  it('matches * with whatever is there, and with nothing that is not', () => {
    expect([matchesTag('*', '"3"'), matchesTag('*', undefined), matchesTag(['"3"'], '"3"')]).to.deep.equal([
      true,
      false,
      true,
    ]);
  });

  it('looks at If-Match first', () => {
    expect(evaluate({ ifMatch: ['"1"'], ifNoneMatch: ['"2"'] }, '"2"')).to.equal('IfMatchFailed');
  });

  it('reads a header in a time that grows with its length alone', () => {
    // a time that grows with the square of these lengths is longer than a test may take
    expect(parseEntityTags(`${'"1",'.repeat(400_000)}x`)).to.equal(undefined);
    expect(parseEntityTags(`${', '.repeat(800_000)}"1`)).to.equal(undefined);
  });
});
