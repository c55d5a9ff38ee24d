import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { shown } from '../../src/audit-pack/report.js';
import { makePackedLog, membersOf, packOf } from '../support/audit-pack.js';

const FIXTURES = 'test/fixtures/audit-pack';

describe('the report of an audit pack', () => {
  // whoever changes the template changes the format, and with it both verifiers
  for (const [file, withData] of [
    ['report.html.txt', true],
    ['report-without-data.html.txt', false],
  ] as const)
    it(`is byte for byte ${file}`, async () => {
      const members = await membersOf(await packOf(makePackedLog().sources({ withData })));
      expect(members.get('report.html')!.toString()).to.equal(await readFile(`${FIXTURES}/${file}`, 'utf8'));
    });

  it('shows every text as text, and what cannot be seen by its code', () => {
    expect(shown(`<b title="x" id='y'>&amp;</b>`)).to.equal(
      '&lt;b title=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/b&gt;',
    );
    expect(shown('a\u0000b\n\u007f\u0085\u00ad\u061c\u180e\u200b\u200f\u2028\u202e\u2060\u2069\ufeff')).to.equal(
      String.raw`a\u0000b\u000a\u007f\u0085\u00ad\u061c\u180e\u200b\u200f\u2028\u202e\u2060\u2069\ufeff`,
    );
    expect(shown('\ud83d\ude00 \ud83d \ude00')).to.equal(String.raw`😀 \ud83d \ude00`);
    expect(shown('ä \u00a0 \u2010 \u2027 \u202f \u205f \u206a')).to.equal(
      'ä \u00a0 \u2010 \u2027 \u202f \u205f \u206a',
    );
  });
});
