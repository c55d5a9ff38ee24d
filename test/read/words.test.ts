import { expect } from 'chai';
import fc from 'fast-check';
import { wordsOf } from '../../src/read/words.js';

const words = (...texts: ReadonlyArray<string | null>): ReadonlyArray<string> => [...wordsOf(texts)];

describe('the words of a record', () => {
  it('are those of all its texts, each once', () => {
    expect(words('Acme Inc.', null, 'ACME holding', '')).to.deep.equal(['acme', 'inc', 'holding']);
  });

  it('have no punctuation in them', () => {
    expect(words("O'Neil & Sons_Ltd", '12-3456789', 'report.v2.pdf')).to.deep.equal([
      ...['o', 'neil', 'sons', 'ltd', '12', '3456789', 'report', 'v2', 'pdf'],
    ]);
  });

  it('are the same in whatever case and compatible form they are typed', () => {
    for (const [one, other] of [
      ['STRASSE', 'straße'],
      ['ΟΔΟΣ', 'οδος'],
      ['ＡＣＭＥ', 'acme'],
      ['ﬁnance', 'FINANCE'],
      ['É', 'e\u0301'],
      ['STRAẞE', 'strasse'],
      ['straße', 'STRAẞE'],
      ['İSTANBUL', 'istanbul'],
      ['ΐ', 'Ϊ́'],
    ] as const)
      expect(words(one), `${one} ${other}`).to.deep.equal(words(other));
  });

  it('are the same with characters that nobody sees', () => {
    const unseen = [
      '\u00ad',
      '\u200b',
      '\u200d',
      '\u2060',
      '\ufeff',
      '\u0080',
      '\u009b',
      '\ufff9',
      '\ufffb',
      '\u{1d159}',
    ];
    for (const character of unseen) {
      const text = `Donau${character}dampfer${character}`;
      expect(words(text), JSON.stringify(text)).to.deep.equal(['donaudampfer']);
    }
    // a line end divides, as a space does
    expect(words('Donau\u0085dampfer')).to.deep.equal(['donau', 'dampfer']);
    expect(words('\u00ad\u200d')).to.deep.equal([]);
  });

  it('are the same however far an Arabic word is drawn out', () => {
    for (const text of ['مح\u0640\u0640\u0640مد', 'محمد\u0640', '\u0640محمد', 'مح\u0640\u200dمد'])
      expect(words(text), JSON.stringify(text)).to.deep.equal(words('محمد'));
    expect(words('ߒߞ\u07faߏ'), "N'Ko").to.deep.equal(words('ߒߞߏ'));
    expect(words('ᠮᠣ\u180aᠩ'), 'Mongolian').to.deep.equal(words('ᠮᠣᠩ'));
    expect(words('\u0640'), 'a tatweel alone').to.deep.equal([]);
    expect(words('\ufe71'), 'a compatible form of tatweel with a mark').to.deep.equal(words('\u064b'));
  });

  it('are found in scripts that put no space between them', () => {
    expect(words('東京電力')).to.deep.equal(['東京', '電力']);
    expect(words('ภาษาไทย')).to.have.length.greaterThan(1);
  });

  it('of ASCII are those that the segmenter finds', () => {
    const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        const segments = [...segmenter.segment(text.toLowerCase())].map(({ segment }) => segment);
        const expected = segments.flatMap((segment) => segment.match(/[0-9a-z]+/g) ?? []);
        expect(words(text)).to.deep.equal([...new Set(expected.map((word) => word.slice(0, 64)))]);
      }),
    );
  });

  it('consist of letters, marks and digits, and are bounded, whatever the text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 500 })), (texts) => {
        for (const word of wordsOf(texts)) {
          expect(word).to.match(/^[\p{L}\p{M}\p{N}]+$/u);
          expect(word.length).to.be.within(1, 64);
        }
      }),
    );
    expect(words('𝔘'.repeat(100))[0]).to.have.length.at.most(64);
    expect(wordsOf([Array.from({ length: 5_000 }, (_, n) => `w${n}`).join(' ')]).size).to.equal(2_000);
  });
});
