import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { eventInWords } from '../../src/audit-pack/event-words.js';
import { shown } from '../../src/audit-pack/report-text.js';
import type { BusinessEvent } from '../../src/domain/business/events.js';
import type { DocumentEvent } from '../../src/domain/document/events.js';
import { describeBusinessEvent } from '../../src/read/describe-business-event.js';
import { describeDocumentEvent } from '../../src/read/describe-document-event.js';
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

  // they are those of the form audit-pack/v2 for ever: whoever changes those of the API makes this test fail, and leaves these
  it('says what an event did in the words of the API', () => {
    const document = {
      name: 'a',
      description: null,
      tags: [],
      type: 'Business',
      entityType: 'Business',
      entity: null,
    } as const;
    const file = { key: 'k', size: 1, sha256: 'a'.repeat(64), mimeType: 'text/plain', originalName: 'a.txt' };
    const business: ReadonlyArray<BusinessEvent> = [
      { type: 'BusinessCreated', data: { name: 'a' } },
      { type: 'BusinessUpdated', data: { changes: { city: 'b', name: 'c', phone: null } } },
      { type: 'BusinessUpdated', data: { changes: { name: 'c' } } },
      { type: 'BusinessDeleted', data: {} },
      { type: 'BusinessRestored', data: {} },
      { type: 'BusinessReverted', data: { to: 3, changes: { phone: null, website: 'w' } } },
      { type: 'BusinessReverted', data: { to: 0, changes: { parent: 'p' }, previousParent: null } },
      { type: 'BusinessOwnerAdded', data: { user: 'a', title: null, equity: 1 } },
      { type: 'BusinessOwnerUpdated', data: { user: 'a', equity: 1, title: 'b' } },
      { type: 'BusinessOwnerRemoved', data: { user: 'a' } },
    ];
    const documents: ReadonlyArray<DocumentEvent> = [
      { type: 'DocumentCreated', data: { ...document, file: null } },
      { type: 'DocumentCreated', data: { ...document, file } },
      { type: 'DocumentUpdated', data: { changes: { description: 'a', name: 'b' }, file } },
      { type: 'DocumentUpdated', data: { changes: { tags: ['a'] } } },
      { type: 'DocumentDeleted', data: {} },
      { type: 'DocumentRestored', data: {} },
      { type: 'DocumentReverted', data: { to: 3, changes: { name: 'b' }, file, uploaded: { by: 'a', at: 'b' } } },
      { type: 'DocumentReverted', data: { to: 12, changes: { description: 'a', name: 'b' } } },
      { type: 'DocumentReverted', data: { to: 0, changes: {}, file: null, uploaded: null } },
    ];
    for (const event of business)
      expect(eventInWords(event.type, event.data)).to.equal(describeBusinessEvent(event).message);
    for (const event of documents)
      expect(eventInWords(event.type, event.data)).to.equal(describeDocumentEvent(event).message);
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
