import { expect } from 'chai';
import fc from 'fast-check';
import { either as E, option as O } from 'fp-ts';
import { businesses } from '../../projections/businesses.js';
import { documentQueries, documents } from '../../projections/documents.js';
import type { ProjectionOf } from '../../projections/projection.js';
import type { DomainEvent } from '../../src/event-sourcing/serde.js';
import { businessHistory, documentHistory, occurrence } from './histories.js';

const ID = '0198f000-0000-7000-8000-000000000001';

const fold = <State, Event extends DomainEvent>(
  { initialState, evolve }: ProjectionOf<State, Event>,
  history: ReadonlyArray<Event>,
): State => history.reduce((state, event, revision) => evolve(state, event, { ...occurrence, revision }), initialState);

const keysOf = <State, Event extends DomainEvent>(projection: ProjectionOf<State, Event>, state: State) =>
  Object.fromEntries(projection.keys.map(({ name, cellOf }) => [name, cellOf(state)]));

const givesBackItsState = <State, Event extends DomainEvent>(
  projection: ProjectionOf<State, Event>,
  history: fc.Arbitrary<ReadonlyArray<Event>>,
): void =>
  fc.assert(
    fc.property(history, fc.nat(), (events, cut) => {
      const before = events.slice(0, cut % (events.length + 1));
      const state = fold(projection, before);
      const content = projection.contentOf(ID, state);
      const given = projection.stateOf(content);
      expect(given).to.deep.equal(state);
      const later = events
        .slice(before.length)
        .reduce(
          (so, event, at) => projection.evolve(so, event, { ...occurrence, revision: before.length + at }),
          given,
        );
      expect(projection.contentOf(ID, later)).to.deep.equal(projection.contentOf(ID, fold(projection, events)));
    }),
  );

/** The same value with the members of every object in the opposite order. */
const turned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, turned(member)]),
  );
};

/** A command leaves the state that it has decided, rebuilding leaves one that was folded from the log's JSON. */
const isTheSameInAnyOrder = <State, Event extends DomainEvent>(
  projection: ProjectionOf<State, Event>,
  history: fc.Arbitrary<ReadonlyArray<Event>>,
): void =>
  fc.assert(
    fc.property(history, (events) => {
      // reason: the order of members is no part of their type
      const others = events.map((event) => turned(event) as Event);
      const [state, other] = [fold(projection, events), fold(projection, others)];
      expect(projection.contentOf(ID, other)).to.deep.equal(projection.contentOf(ID, state));
      expect(keysOf(projection, other)).to.deep.equal(keysOf(projection, state));
    }),
  );

const never = () => Promise.reject(new Error('must not be called'));
const nothing = { byId: never, page: never, all: never, count: never };

describe('rows of a projection', () => {
  it('give back the state of a business, whatever it went through', () =>
    givesBackItsState(businesses, businessHistory));

  it('give back the state of a document, whatever it went through', () =>
    givesBackItsState(documents, documentHistory));

  it('are the same for a business whatever the order of the members of its events', () =>
    isTheSameInAnyOrder(businesses, businessHistory));

  it('are the same for a document whatever the order of the members of its events', () =>
    isTheSameInAnyOrder(documents, documentHistory));

  it('keep the key columns of a business beside its body', () => {
    const state = fold(businesses, [
      { type: 'BusinessCreated', data: { name: 'Acme', businessType: 'LLC', ein: '12-3' } },
      { type: 'BusinessUpdated', data: { changes: { ein: null, parent: 'p' } } },
    ]);
    expect(keysOf(businesses, state)).to.deep.equal({
      name: 'Acme',
      business_type: 'LLC',
      parent: 'p',
      ein: null,
      owners: '{}',
    });
  });

  it('hide what a deleted business was, and find it by nothing', () => {
    const state = fold(businesses, [
      { type: 'BusinessCreated', data: { name: 'Acme', ein: '12-3' } },
      { type: 'BusinessDeleted', data: {} },
      { type: 'BusinessUpdated', data: { changes: { name: 'Too late' } } },
    ]);
    const { body, hidden } = businesses.contentOf(ID, state);
    expect(body).to.equal(null);
    expect(businesses.stateOf({ body, hidden })).to.deep.equal(state);
    expect(keysOf(businesses, state)).to.deep.equal({
      name: null,
      business_type: null,
      parent: null,
      ein: null,
      owners: null,
    });
  });

  it('hide what a deleted document was, find it by nothing, and have no file of it to give', async () => {
    const file = { key: 'k/1', size: 3, sha256: 'ab', mimeType: 'text/plain', originalName: 'a.txt' };
    const fields = { name: 'Plan', description: null, tags: ['a'], entity: 'e', entityType: 'Business' } as const;
    const created = { type: 'DocumentCreated', data: { ...fields, type: 'Document', file } } as const;
    const state = fold(documents, [created, { type: 'DocumentDeleted', data: {} }]);
    const { body, hidden } = documents.contentOf(ID, state);
    expect([body, documents.textsOf(state)]).to.deep.equal([null, []]);
    expect(Object.values(keysOf(documents, state))).to.deep.equal([null, null, null, null, null, null]);
    const row = { hidden: hidden ?? '', revision: 1n };
    const parked = { _tag: 'RowParked', row: O.some(row) } as const;
    const fileOf = (found: ReturnType<Parameters<typeof documentQueries>[0]['hiddenState']>) =>
      documentQueries({ ...nothing, hiddenState: () => found }).fileOf(ID);
    expect(await fileOf(Promise.resolve(E.right(O.some(row))))).to.deep.equal(E.right(O.none));
    expect(await fileOf(Promise.resolve(E.left(parked)))).to.deep.equal(E.left({ ...parked, row: O.none }));
    const restored = documents.evolve(
      documents.stateOf({ body, hidden }),
      { type: 'DocumentRestored', data: {} },
      { ...occurrence, revision: 2 },
    );
    expect(documents.contentOf(ID, restored)).to.deep.equal(documents.contentOf(ID, fold(documents, [created])));
  });

  it('keep the file of a document where GET does not show it', async () => {
    const file = { key: 'k/1', size: 3, sha256: 'ab', mimeType: 'text/plain', originalName: 'a.txt' };
    const fields = { name: 'Plan', description: null, tags: ['a "b"', 'c\\d'], entity: 'e' };
    const state = fold(documents, [
      { type: 'DocumentCreated', data: { ...fields, type: 'Document', entityType: 'Business', file } },
    ]);
    const { body, hidden } = documents.contentOf(ID, state);
    const hiddenState = () => Promise.resolve(E.right(O.some({ hidden: hidden ?? '', revision: 0n })));
    const queries = { ...nothing, hiddenState };
    expect(await documentQueries(queries).fileOf(ID)).to.deep.equal(E.right(O.some({ file, revision: 0n })));
    expect(body).not.to.contain('k/1');
    expect(keysOf(documents, state)).to.deep.equal({
      type: 'Document',
      entity_type: 'Business',
      entity: 'e',
      uploaded_by: 'alice',
      tags: '{"a \\"b\\"","c\\\\d"}',
      name: 'Plan',
    });
  });
});
