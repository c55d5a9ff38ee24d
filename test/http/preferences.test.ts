import { expect } from 'chai';
import { prefersCount, prefersStrict, withApplied } from '../../src/http/request/preferences.js';

describe('Prefer', () => {
  const strict: ReadonlyArray<string | ReadonlyArray<string>> = [
    'handling=strict',
    'Handling=STRICT',
    ' handling = strict ',
    'handling="strict"',
    'handling="str\\ict"',
    'respond-async, handling=strict',
    'wait=10;note="a, handling=lenient", handling=strict; x=y',
    'return="minimal\\", handling=lenient", handling=strict',
    'handling=strict, handling=lenient',
    ',, handling=strict,',
    ['return=minimal', 'handling=strict'],
  ];
  for (const header of strict)
    it(`asks for strict handling by ${JSON.stringify(header)}`, () => {
      expect(prefersStrict(header)).to.equal(true);
    });

  const lenient: ReadonlyArray<string | ReadonlyArray<string> | undefined> = [
    undefined,
    '',
    'handling',
    'handling=',
    'handling=lenient',
    'handling=stricter',
    'handling=lenient, handling=strict',
    'handling, handling=strict',
    'x-handling=strict',
    'handling-x=strict',
    'strict',
    'wait="handling=strict',
    'note="a, handling=strict"',
    'wait=1; handling=strict',
    ['handling=lenient', 'handling=strict'],
  ];
  for (const header of lenient)
    it(`does not ask for it by ${JSON.stringify(header)}`, () => {
      expect(prefersStrict(header)).to.equal(false);
    });

  it('asks for a count by its own name alone', () => {
    for (const header of ['count=exact', 'handling=strict, Count="EXACT"', ['wait=1', 'count = exact; x']])
      expect(prefersCount(header), String(header)).to.equal(true);
    for (const header of [undefined, '', 'count', 'count=planned', 'count=planned, count=exact', 'x-count=exact'])
      expect(prefersCount(header), header).to.equal(false);
  });

  it('says in one header all that was applied', () => {
    const counted = withApplied(['Link', '<?a>'], 'count=exact');
    expect(counted).to.deep.equal(['Link', '<?a>', 'Preference-Applied', 'count=exact']);
    expect(withApplied([...counted, 'X', 'y'], 'handling=strict')).to.deep.equal([
      ...['Link', '<?a>', 'Preference-Applied', 'count=exact, handling=strict', 'X', 'y'],
    ]);
  });

  it('is read in a time that grows with its length alone', () => {
    // a time that grows with the square of this length is longer than a test may take
    const many = 400_000;
    const blanks = ' '.repeat(many);
    const headers = [
      ...['"', '\\"', '"\\', ', ', 'handling ', '"a\\"b'].map((piece) => piece.repeat(many)),
      `${blanks}x`,
      `handling${blanks}x`,
      `handling=${blanks}"x`,
      `handling${blanks}=${blanks}"x`,
      `handling=${blanks}x${blanks}"`,
      `handling="${blanks}"${blanks}x`,
      `handling=${'x'.repeat(many)}"`,
      `"${'\\'.repeat(many)}`,
      `"${'\\'.repeat(many)}"${blanks}`,
      `handling="${'\\'.repeat(many)}`,
    ];
    for (const header of headers) expect(prefersStrict(header), header.slice(0, 20)).to.equal(false);
  });
});
