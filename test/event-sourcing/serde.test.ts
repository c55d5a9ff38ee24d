import { expect } from 'chai';
import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import type { Json, JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { makeSerde, type Upcaster } from '../../src/event-sourcing/serde.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { stored } from '../support/recorded.js';

// A made-up event in its third version: 1 had one name, 2 split it, 3 put the parts into one object.
const Renamed = t.type({
  type: t.literal('Renamed'),
  data: t.type({ name: t.type({ first: t.string, last: t.string }) }),
});
const Closed = t.type({ type: t.literal('Closed'), data: t.type({}) });

const split: Upcaster = (data) => {
  // reason: what version 1 was, whatever else is stored under its name makes the upcaster throw
  const [first, last] = (data as { readonly name: string }).name.split(' ');
  return { first, last };
};
const nest: Upcaster = (data) => ({ name: data });

const serde = makeSerde(t.union([Renamed, Closed]), { Renamed: [split, nest] });

const renamed = (schemaVersion: number, data: Json): StoredEvent =>
  stored({ type: 'Renamed', data }, { schemaVersion });

const ada = { type: 'Renamed', data: { name: { first: 'Ada', last: 'Lovelace' } } };

const eventOf = (event: StoredEvent): unknown => {
  const decoded = serde.decode(event);
  return E.isRight(decoded) ? decoded.right.event : decoded.left.reason;
};

const withMetadata = (event: StoredEvent, over: JsonObject): StoredEvent => ({
  ...event,
  // reason: written by stored()
  metadata: JSON.stringify({ ...(JSON.parse(event.metadata) as JsonObject), ...over }),
});

describe('serde', () => {
  it('counts the current version of each type from its upcasters', () => {
    expect([serde.schemaVersionOf('Renamed'), serde.schemaVersionOf('Closed')]).to.deep.equal([3, 1]);
  });

  it('lifts every older version through all that came after it', () => {
    expect(eventOf(renamed(1, { name: 'Ada Lovelace' }))).to.deep.equal(ada);
    expect(eventOf(renamed(2, { first: 'Ada', last: 'Lovelace' }))).to.deep.equal(ada);
    expect(eventOf(renamed(3, { name: { first: 'Ada', last: 'Lovelace' } }))).to.deep.equal(ada);
  });

  it('gives the envelope beside the event as it was stored', () => {
    const event = stored({ type: 'Closed', data: {} }, { revision: 7n, actor: 'bob' });
    expect(serde.decode(event)).to.deep.equal(
      E.right({
        id: event.id,
        stream: 'business-b1',
        revision: 7n,
        position: 8n,
        event: { type: 'Closed', data: {} },
        reason: undefined,
        metadata: JSON.parse(event.metadata) as unknown,
      }),
    );
  });

  it('takes the reason off the data, wherever it stands, before it is lifted or checked', () => {
    const reasonOf = (event: StoredEvent): unknown => {
      const decoded = serde.decode(event);
      return E.isRight(decoded) ? [decoded.right.event, decoded.right.reason] : decoded.left.reason;
    };
    expect(reasonOf(stored({ type: 'Closed', data: { $reason: 'moved' } }))).to.deep.equal([
      { type: 'Closed', data: {} },
      'moved',
    ]);
    expect(reasonOf(renamed(1, { $reason: 'wed', name: 'Ada Lovelace' }))).to.deep.equal([ada, 'wed']);
    const last = { ...renamed(1, {}), data: '{"name":"Ada Lovelace","$reason":"wed"}' };
    expect(reasonOf(last)).to.deep.equal([ada, 'wed']);
  });

  it('reads an envelope whose salt was withheld, and keys it does not know', () => {
    const event = withMetadata(stored({ type: 'Closed', data: {} }), { salt: undefined, later: 1 });
    expect(eventOf(event)).to.deep.equal({ type: 'Closed', data: {} });
  });

  describe('refuses as undecodable', () => {
    const refuses = (event: StoredEvent, reason: string): void => {
      expect(serde.decode(event)).to.deep.equal(E.left({ _tag: 'UndecodableEvent', stored: event, reason }));
    };

    it('a version that is newer than this program', () => {
      refuses(renamed(4, ada.data), 'schema version 4 is newer than this program');
    });

    for (const version of [0, -1, 1.5])
      it(`version ${version}, which never was`, () => {
        refuses(renamed(version, ada.data), 'no such schema version');
      });

    it('an older version that its upcaster cannot lift, without showing the value', () => {
      refuses(renamed(1, { name: 42 }), 'the upcasters of this program do not fit it');
    });

    it('data that does not satisfy its codec, naming the field and not the value', () => {
      const decoded = eventOf(renamed(3, { name: { first: 'Ada', last: 42 } }));
      expect(decoded).to.include('data.name.last: expected string');
      expect(decoded).not.to.include('42');
    });

    it('a type it does not know, also one that every object has', () => {
      for (const type of ['Opened', 'constructor', '__proto__'])
        expect(E.isLeft(serde.decode(stored({ type, data: {} })))).to.equal(true);
    });

    it('text that is no JSON, without quoting it', () => {
      const event = stored({ type: 'Closed', data: {} });
      refuses({ ...event, data: 'secret' }, 'not JSON');
      refuses({ ...event, metadata: 'secret' }, 'not JSON');
    });

    it('a reason that is no text', () => {
      refuses(stored({ type: 'Closed', data: { $reason: 1 } }), 'its reason is no text');
      refuses(stored({ type: 'Closed', data: { $reason: null } }), 'its reason is no text');
    });

    it('metadata that is no envelope', () => {
      const event = stored({ type: 'Closed', data: {} });
      refuses({ ...event, metadata: '{}' }, 'metadata is not an envelope');
      refuses(withMetadata(event, { actor: 1 }), 'metadata is not an envelope');
    });
  });
});
