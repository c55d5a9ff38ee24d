import { expect } from 'chai';
import * as fc from 'fast-check';
import * as t from 'io-ts';
import { BusinessEvent } from '../../src/domain/business/events.js';
import { DocumentEvent } from '../../src/domain/document/events.js';
import { byteStringOf } from '../../src/event-sourcing/byte-string.js';
import { canonicalJson, type Json } from '../../src/event-sourcing/canonical-json.js';
import { makeFindOutline } from '../../src/event-sourcing/outline.js';
import { describeBusinessEvent, shownOfBusinessEvents } from '../../src/read/describe-business-event.js';
import { describeDocumentEvent, shownOfDocumentEvents } from '../../src/read/describe-document-event.js';
import { businessEvent } from '../support/business-events.js';
import { documentEvent } from '../support/document-events.js';

const business = makeFindOutline(BusinessEvent, shownOfBusinessEvents);
const document = makeFindOutline(DocumentEvent, shownOfDocumentEvents);

const bytesOf = (data: Json) => byteStringOf(canonicalJson(data));

/** With its members in the order in which they are stored. */
const asStored = <Event extends { readonly data: Json }>(event: Event): Event => ({
  ...event,
  data: JSON.parse(canonicalJson(event.data)) as Json,
});

const isDecoded = (codec: t.Mixed, type: string, data: string): boolean => {
  try {
    return codec.is({ type, data: JSON.parse(data) as unknown });
  } catch {
    return false;
  }
};

describe('the outline of an event', () => {
  it('is found of every event, is one itself, and is described as the event is', () => {
    fc.assert(
      fc.property(businessEvent, (event) => {
        const outline = business(event.type, bytesOf(event.data))!.event();
        expect(BusinessEvent.is(outline)).to.equal(true);
        expect(describeBusinessEvent(outline)).to.deep.equal(describeBusinessEvent(asStored(event)));
      }),
    );
    fc.assert(
      fc.property(documentEvent, (event) => {
        const outline = document(event.type, bytesOf(event.data))!.event();
        expect(DocumentEvent.is(outline)).to.equal(true);
        expect(describeDocumentEvent(outline)).to.deep.equal(describeDocumentEvent(asStored(event)));
      }),
    );
  });

  it('has the members of the event, and of their values only those to be shown', () => {
    const changes = { name: 'Acme', dba: null, netWorth: 12, parent: 'p"é' };
    const outline = business('BusinessUpdated', bytesOf({ changes, previousParent: null }));
    expect(outline?.event()).to.deep.equal({
      type: 'BusinessUpdated',
      data: { changes: { dba: '', name: '', netWorth: 0, parent: 'p"é' }, previousParent: null },
    });
  });

  for (const [type, find] of [
    ['BusinessReverted', business],
    ['DocumentReverted', document],
  ] as const)
    it(`has the revision that ${type} goes back to`, () => {
      const outlines = [3, 4].map((to) => find(type, bytesOf({ changes: { name: 'a' }, to }))!);
      expect(outlines.map((outline) => outline.event().data)).to.deep.equal([
        { changes: { name: '' }, to: 3 },
        { changes: { name: '' }, to: 4 },
      ]);
      expect(outlines[0]?.key).not.to.equal(outlines[1]?.key);
    });

  it('has the same key as another one of its type exactly when they are equal', () => {
    const found = (event: { readonly type: string; readonly data: Json }) => {
      const outline = business(event.type, bytesOf(event.data))!;
      return { key: outline.key, text: JSON.stringify(outline.event()) };
    };
    fc.assert(
      fc.property(businessEvent, businessEvent, (one, other) => {
        const [first, second] = [found(one), found(other)];
        expect(first.key === second.key).to.equal(first.text === second.text);
      }),
    );
  });

  it('is not found of what would not be decoded', () => {
    const edit = fc.record({
      at: fc.nat(),
      cut: fc.nat(2),
      put: fc.constantFrom('', '"', '\\', ',', '{', '}', '[', ']', ':', ' ', '0', '-', '.', 'e', 'null', '\n', '\\u00'),
    });
    const edited = fc.tuple(fc.oneof(businessEvent, documentEvent), edit).map(([{ type, data }, { at, cut, put }]) => {
      const text = canonicalJson(data);
      const place = at % (text.length + 1);
      return { type, text: `${text.slice(0, place)}${put}${text.slice(place + cut)}` };
    });
    fc.assert(
      fc.property(edited, ({ type, text }) => {
        for (const [codec, find] of [
          [BusinessEvent, business],
          [DocumentEvent, document],
        ] as const)
          if (find(type, byteStringOf(text)) !== undefined) expect(isDecoded(codec, type, text), text).to.equal(true);
      }),
      { numRuns: 5_000 },
    );
  });

  it('is found of texts of megabytes, and soon not found of one that is not closed', () => {
    const description = 'a"\\é\n'.repeat(300_000);
    const data = bytesOf({ changes: { description } });
    expect(document('DocumentUpdated', data)?.event()).to.deep.equal({
      type: 'DocumentUpdated',
      data: { changes: { description: '' } },
    });
    expect(document('DocumentUpdated', byteStringOf(data.slice(0, -3)))).to.equal(undefined);
  });

  it('is not found with a codec of another kind, nor of a type that the codec does not know', () => {
    const dates = t.type({ type: t.literal('Dated'), data: t.type({ at: t.unknown }) });
    expect(makeFindOutline(dates, [])('Dated', byteStringOf('{"at":1}'))).to.equal(undefined);
    expect(business('constructor', byteStringOf('{}'))).to.equal(undefined);
  });
});
