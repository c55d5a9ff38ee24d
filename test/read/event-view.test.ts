import { expect } from 'chai';
import { either as E } from 'fp-ts';
import * as fc from 'fast-check';
import { businessSerde } from '../../src/domain/business/serde.js';
import { documentSerde } from '../../src/domain/document/serde.js';
import { byteStringOf } from '../../src/event-sourcing/byte-string.js';
import { canonicalJson, type JsonObject } from '../../src/event-sourcing/canonical-json.js';
import type { Metadata } from '../../src/event-sourcing/envelope.js';
import { envelopeTexts } from '../../src/event-sourcing/envelope-texts.js';
import { extendChain, hashIn } from '../../src/event-sourcing/hash-chain.js';
import { withReason } from '../../src/event-sourcing/reason.js';
import { entityIdOf, type StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import type { Recorded } from '../../src/event-sourcing/serde.js';
import { describeBusinessEvent, shownOfBusinessEvents } from '../../src/read/describe-business-event.js';
import { describeDocumentEvent, shownOfDocumentEvents } from '../../src/read/describe-document-event.js';
import { makeRenderEvents, UndecodableEventError } from '../../src/read/event-view.js';
import type { Description } from '../../src/read/ref.js';
import { text } from '../support/arbitrary-values.js';
import { businessEvent } from '../support/business-events.js';
import { documentEvent } from '../support/document-events.js';
import { oneKey } from '../support/event-keys.js';
import { frozenEvent } from '../support/fixtures.js';
import { pageOf } from '../support/page-of.js';
import { stored as recorded } from '../support/recorded.js';

const stored = (): StoredEvent => {
  const event = frozenEvent('BusinessUpdated', 1);
  if (event === undefined) throw new Error('the fixture is missing');
  return event;
};

const renderers = {
  business: makeRenderEvents(businessSerde, {
    entityType: 'Business',
    describe: describeBusinessEvent,
    shown: shownOfBusinessEvents,
  }),
  document: makeRenderEvents(documentSerde, {
    entityType: 'Document',
    describe: describeDocumentEvent,
    shown: shownOfDocumentEvents,
  }),
};

const render = (event: StoredEvent, proof: boolean): string =>
  renderers.business(pageOf([event]).bytes, proof, '', '').toString();

const shown = {
  _id: '01900000-0000-7b03-8000-000000000000',
  type: 'updated',
  message: 'netWorth, parent and phone updated',
  user: 'alice',
  entity: '01900000-0000-7000-8000-00000000b001',
  entityType: 'Business',
  refs: [
    { entity: '5d14ed5a8a0d8a3f2c0e4c3e', entityType: 'Business' },
    { entity: 'p\u2028\u2029', entityType: 'Business' },
  ],
  name: 'BusinessUpdated',
  at: '2026-01-04T09:30:00.003Z',
  revision: 3,
  hash: '0d7041ca9a91119cccaf317a0e4cbf476337e810e8ca9c9232d4633f2e9dcbdc',
  data: {
    changes: { netWorth: 5e-324, parent: 'p\u2028\u2029', phone: null },
    previousParent: '5d14ed5a8a0d8a3f2c0e4c3e',
  },
};

describe('an event as answered', () => {
  it('has the keys of the contract and what an auditor needs beside them', () => {
    expect(JSON.parse(render(stored(), false))).to.deep.equal(shown);
  });

  it('has with proof also the stream and the metadata as stored', () => {
    const event = stored();
    expect(JSON.parse(render(event, true))).to.deep.equal({
      ...shown,
      stream: 'business-01900000-0000-7000-8000-00000000b001',
      metadata: JSON.parse(event.metadata) as unknown,
    });
  });

  it('carries data and metadata as the very text that is stored', () => {
    const event = stored();
    const respaced = { ...event, data: event.data.replace('{', '{ ') };
    expect(render(respaced, true)).to.include(`"data":${respaced.data},`).and.include(`"metadata":${event.metadata}}`);
  });

  it('is with proof enough to verify every hash', () => {
    // reason: the shape is compared above
    const { _id, name, stream, revision, data, metadata } = JSON.parse(render(stored(), true)) as {
      _id: string;
      name: string;
      stream: StoredEvent['stream'];
      revision: number;
      data: unknown;
      metadata: { previousHash: string };
    };
    const event: StoredEvent = {
      id: _id,
      type: name,
      stream,
      revision: BigInt(revision),
      position: 0n,
      data: JSON.stringify(data),
      metadata: JSON.stringify(metadata),
    };
    expect(extendChain({ revision: 3n, hash: metadata.previousHash }, event)).to.deep.equal(
      E.right({ revision: 4n, hash: shown.hash }),
    );
  });
});

const canonicalWithoutReason = (stored: string): string => {
  const { $reason: _reason, ...data } = JSON.parse(stored) as JsonObject; // reason: data with a reason is an object
  return canonicalJson(data);
};

/** What an answer shows of an event, from the event decoded in full; for one that cannot be decoded, why. */
const fromDecoded = (event: StoredEvent, proof: boolean): string => {
  const decode = event.stream.startsWith('business') ? viewOf.business : viewOf.document;
  const decoded = decode(event);
  if (E.isLeft(decoded)) return decoded.left;
  const { reason, ...shown } = decoded.right;
  const data = reason === undefined || proof ? event.data : canonicalWithoutReason(event.data);
  const why = reason === undefined ? '' : `,"reason":${JSON.stringify(reason)}`;
  const more = proof ? `,"stream":${JSON.stringify(event.stream)},"metadata":${event.metadata}` : '';
  return `${JSON.stringify(shown).slice(0, -1)},"data":${data}${why}${more}}`;
};

const viewOf = {
  business: (event: StoredEvent) => {
    const decoded = businessSerde.decode(event);
    return E.isLeft(decoded)
      ? E.left(decoded.left.reason)
      : E.right(view(event, 'Business', describeBusinessEvent(decoded.right.event), decoded.right));
  },
  document: (event: StoredEvent) => {
    const decoded = documentSerde.decode(event);
    return E.isLeft(decoded)
      ? E.left(decoded.left.reason)
      : E.right(view(event, 'Document', describeDocumentEvent(decoded.right.event), decoded.right));
  },
};

const view = (
  { id, stream, type: name, revision }: StoredEvent,
  entityType: string,
  { type, message, refs }: Description,
  { reason, metadata: { actor: user, at, hash } }: Pick<Recorded<unknown>, 'reason' | 'metadata'>,
) => ({
  reason,
  ...{ _id: id, type, message, user, entity: entityIdOf(stream), entityType, refs },
  ...{ name, at, revision: Number(revision), hash },
});

const fromBytes = (event: StoredEvent, proof: boolean): string => {
  const renderer = event.stream.startsWith('business') ? renderers.business : renderers.document;
  try {
    return renderer(pageOf([event]).bytes, proof, '', '').toString();
  } catch (error) {
    if (error instanceof UndecodableEventError) return error.undecodable.reason;
    throw error;
  }
};

const hostile = fc.oneof(
  fc.constantFrom(
    'alice',
    '"',
    '\\',
    'a\\',
    '","at":"1970"',
    '\u0001',
    '\n',
    '\ud800',
    'é',
    '漢字',
    '😀',
    '\u2028',
    '',
    '/',
    '\u007f',
  ),
  text,
  fc.string({ unit: fc.constantFrom('"', '\\', ',', ':', 'at', 'u0041', '\u00e9', '\udc00', '\u0000') }),
);

const sealed: fc.Arbitrary<StoredEvent> = fc
  .tuple(
    fc.oneof(
      businessEvent.map((event) => ['business', event] as const),
      documentEvent.map((event) => ['document', event] as const),
    ),
    hostile,
    fc.constantFrom('2026-01-02T03:04:05.678Z', '"', 'é'),
    fc.bigInt(0n, 2n ** 40n),
    fc.option(hostile, { nil: undefined }),
  )
  .map(([[category, { type, data }], actor, at, revision, reason]) => {
    const fact = { type, data: withReason(data, reason) };
    return recorded(fact, { stream: `${category}-0198f000-0000-7000-8000-000000000001`, actor, at, revision });
  });

type Edit = (event: StoredEvent) => StoredEvent;

const inMetadata =
  (edit: (metadata: Record<string, unknown>) => object): Edit =>
  (event) => ({ ...event, metadata: JSON.stringify(edit(JSON.parse(event.metadata) as Record<string, unknown>)) });

const inText =
  (from: string | RegExp, to: string): Edit =>
  (event) => ({ ...event, metadata: event.metadata.replace(from, () => to) });

/** What else may stand in a log: of other programs and versions, withheld, or tampered with. */
const edits: Readonly<Record<string, Edit>> = {
  'as it is': (event) => event,
  'a traceparent': inMetadata((metadata) => ({ ...metadata, traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-01' })),
  'a hostile traceparent': inMetadata((metadata) => ({ ...metadata, traceparent: '"\\' })),
  'a mac': inText(',"previousHash"', ',"mac":"0123abcd.xyz","previousHash"'),
  'a mac that is no text': inText(',"previousHash"', ',"mac":1,"previousHash"'),
  'a mac in another place': inText(',"salt"', ',"mac":"x","salt"'),
  'a hostile mac': inText(',"previousHash"', ',"mac":"\\"","previousHash"'),
  'data that is null': (event) => ({ ...event, data: 'null' }),
  'a member that no codec knows': (event) => ({ ...event, data: event.data.replace('{', '{"$":1,') }),
  'a reason that is no text': (event) => ({ ...event, data: event.data.replace('{', '{"$reason":1,') }),
  'two reasons': (event) => ({ ...event, data: event.data.replace('{', '{"$reason":"one",') }),
  'a reason behind the last member': (event) => ({ ...event, data: event.data.replace(/\}$/, ',"$reason":"x"}') }),
  'a reason with spaces about it': (event) => ({ ...event, data: event.data.replace('"$reason":', ' "$reason" : ') }),
  'a reason that is cut': (event) => ({ ...event, data: event.data.replace(/("\$reason":".*?)".*/, '$1') }),
  'a comma behind the reason alone': (event) => ({ ...event, data: '{"$reason":"x",}' }),
  'nothing but a reason': (event) => ({ ...event, data: '{"$reason":"x"}' }),
  'a member behind the last': (event) => ({ ...event, data: event.data.replace(/\}$/, ',"~":1}') }),
  'a comma too many': (event) => ({ ...event, data: event.data.replace(/\}$/, ',}') }),
  'a number for each text': (event) => ({ ...event, data: event.data.replaceAll(/:"[^"]*"/g, ':1') }),
  'a text for each null': (event) => ({ ...event, data: event.data.replaceAll('null', '"null"') }),
  'no JSON as data': (event) => ({ ...event, data: '{"name":' }),
  'other spacing': (event) => ({ ...event, data: ` ${event.data}`, metadata: event.metadata.replace(':', ': ') }),
  'another order of keys': inMetadata(({ actor, ...rest }) => ({ ...rest, actor })),
  'a key of another program': inMetadata((metadata) => ({ ...metadata, zone: 'eu' })),
  'a newer schema version': inMetadata((metadata) => ({ ...metadata, schemaVersion: 2 })),
  'no schema version': inMetadata((metadata) => ({ ...metadata, schemaVersion: 0 })),
  'half a schema version': inMetadata((metadata) => ({ ...metadata, schemaVersion: 1.5 })),
  'a version in another spelling': inText('"schemaVersion":1', '"schemaVersion":1.0'),
  'a number as actor': inMetadata((metadata) => ({ ...metadata, actor: 1 })),
  'no hash': inMetadata(({ hash: _hash, ...rest }) => rest),
  'a second actor': inText(/"dataHash":"[^"]*"/, '"actor":"mallory","dataHash":"x"'),
  'a second actor within a text': inText(/"dataHash":"[^"]*"/, '"dataHash":"","actor":"mallory"'),
  'a control character': inText(/"hash":"./, '"hash":"\n'),
  'an escape that is not needed': inText(/"at":"./, '"at":"\\u0032'),
  'something behind it': (event) => ({ ...event, metadata: `${event.metadata} x` }),
  'something before it': (event) => ({ ...event, metadata: ` ${event.metadata}` }),
  'no metadata': (event) => ({ ...event, metadata: '' }),
  'an unknown type': (event) => ({ ...event, type: 'constructor' }),
};

describe('events as they are rendered from their bytes', () => {
  for (const [what, edit] of Object.entries(edits))
    it(`are those that are rendered from their decoded form, with ${what}`, () => {
      fc.assert(
        fc.property(sealed, fc.boolean(), (event, proof) => {
          const edited = edit(event);
          expect(fromBytes(edited, proof)).to.equal(fromDecoded(edited, proof));
        }),
        { numRuns: 100 },
      );
    });

  it('are nothing but their envelope where their data was erased', () => {
    const event = recorded({ type: 'BusinessCreated', data: { name: 'Acme', $reason: 'why' } });
    const erased = { ...inMetadata(({ salt: _salt, ...rest }) => rest)(event), data: '{}' };
    const { _id, hash, ...shown } = JSON.parse(render(erased, true)) as Record<string, unknown>;
    expect([_id, hash]).to.deep.equal([event.id, hashIn(event)]);
    expect(shown).to.deep.equal({
      type: 'erased',
      message: 'its data was erased',
      user: 'alice',
      entity: 'b1',
      entityType: 'Business',
      refs: [],
      name: 'BusinessCreated',
      at: '2026-01-02T03:04:05.678Z',
      revision: 0,
      data: {},
      stream: 'business-b1',
      metadata: JSON.parse(erased.metadata) as unknown,
    });
  });

  it('are joined by commas, between what is put before and after them', () => {
    const events = [stored(), { ...stored(), revision: 4n }];
    const texts = events.map((event) => render(event, true));
    const page = renderers.business(pageOf(events).bytes, true, '[', ']');
    expect(page.toString()).to.equal(`[${texts.join(',')}]`);
    expect(page.length).to.equal(Buffer.byteLength(`[${texts.join(',')}]`));
  });

  it('have the reason beside the data, which with proof stays as it is stored', () => {
    const event = recorded({ type: 'BusinessDeleted', data: { $reason: 'sold, "as is" ü' } });
    const shownOf = (proof: boolean): unknown => {
      const { data, reason } = JSON.parse(render(event, proof)) as Record<string, unknown>;
      return { data, reason };
    };
    expect(shownOf(false)).to.deep.equal({ data: {}, reason: 'sold, "as is" ü' });
    expect(shownOf(true)).to.deep.equal({ data: { $reason: 'sold, "as is" ü' }, reason: 'sold, "as is" ü' });
    expect(JSON.parse(render(stored(), false))).not.to.have.property('reason');
  });

  it('need no envelope decoded that this program sealed, with or without a traceparent and a mac', () => {
    const sealedHere = recorded({ type: 'BusinessDeleted', data: {} }, { actor: 'çelik' });
    const traced = edits['a traceparent']!(sealedHere);
    const underKey = recorded({ type: 'BusinessDeleted', data: {} }, { actor: 'çelik', eventKey: oneKey });
    for (const { metadata } of [sealedHere, traced, underKey]) {
      // reason: written by recorded()
      const { actor, at, hash } = JSON.parse(metadata) as Metadata;
      const texts = envelopeTexts({ metadata: byteStringOf(metadata) });
      expect(texts).to.deep.equal({ actor: Buffer.from(actor).toString('latin1'), at, hash, schemaVersion: 1 });
    }
  });
});
