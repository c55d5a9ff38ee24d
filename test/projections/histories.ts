import fc from 'fast-check';
import type { BusinessEvent } from '../../src/domain/business/events.js';
import type { DocumentEvent } from '../../src/domain/document/events.js';
import { EntityKind } from '../../src/domain/shared/entity-kind.js';

// -0 is 0 in the log already: JSON has no other zero
const amount = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0));
const text = fc.option(fc.string({ unit: 'grapheme', maxLength: 12 }));
const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const user = fc.constantFrom('ann', 'bob', 'zoë');
const kind = fc.constantFrom(...Object.keys(EntityKind.keys).filter(EntityKind.is));

const businessChanges = fc.record(
  {
    name,
    displayName: text,
    businessType: text,
    dba: text,
    email: text,
    netWorth: amount,
    revenue: amount,
    ein: text,
    parent: text,
    line1: text,
    zip: text,
  },
  { requiredKeys: [] },
);

const range = fc.tuple(fc.nat(9), fc.nat(2)).map(([first, more]): [number, number] => [first, first + more]);
const erased = fc.record({
  events: fc.oneof({ weight: 4, arbitrary: fc.array(range, { maxLength: 2 }) }, fc.constant('all' as const)),
  basis: text.map((given) => given ?? ''),
});

const businessCreated: fc.Arbitrary<BusinessEvent> = fc.record({
  type: fc.constant('BusinessCreated' as const),
  data: fc.tuple(name, businessChanges).map(([given, changes]) => ({ ...changes, name: given })),
});

const laterBusinessEvent: fc.Arbitrary<BusinessEvent> = fc.oneof(
  fc.record({ type: fc.constant('BusinessUpdated' as const), data: fc.record({ changes: businessChanges }) }),
  fc.record({
    type: fc.constant('BusinessOwnerAdded' as const),
    data: fc.record({ user, title: text, equity: amount }),
  }),
  fc.record({ type: fc.constant('BusinessOwnerUpdated' as const), data: fc.record({ user, title: text }) }),
  fc.record({ type: fc.constant('BusinessOwnerRemoved' as const), data: fc.record({ user }) }),
  fc.record({ type: fc.constant('BusinessDeleted' as const), data: fc.constant({}) }),
  fc.record({ type: fc.constant('BusinessRestored' as const), data: fc.constant({}) }),
  fc.record({
    type: fc.constant('BusinessReverted' as const),
    data: fc.record({ to: fc.nat(9), changes: businessChanges }),
  }),
  fc.record({ type: fc.constant('BusinessErased' as const), data: erased }),
);

/** Mostly what a business can live through, now and then one that does not begin with its creation. */
export const businessHistory: fc.Arbitrary<ReadonlyArray<BusinessEvent>> = fc
  .tuple(fc.option(businessCreated, { freq: 9 }), fc.array(laterBusinessEvent, { maxLength: 6 }))
  .map(([created, later]) => [...(created === null ? [] : [created]), ...later]);

const file = fc.record({
  key: fc.uuid(),
  size: fc.nat(),
  sha256: fc.string({ unit: fc.constantFrom('0', '9', 'a', 'f'), minLength: 64, maxLength: 64 }),
  mimeType: fc.constantFrom('image/png', 'application/pdf'),
  originalName: name,
});

const documentFields = {
  name,
  description: text,
  tags: fc.array(fc.oneof(name, fc.constantFrom('"', '\\', '{}', 'NULL', 'a,b', "'"))),
  type: kind,
  entityType: kind,
  entity: text,
};

const documentCreated: fc.Arbitrary<DocumentEvent> = fc.record({
  type: fc.constant('DocumentCreated' as const),
  data: fc
    .tuple(fc.record(documentFields), fc.option(file, { nil: null }))
    .map(([fields, given]) => ({ ...fields, file: given })),
});

const documentUpdated: fc.Arbitrary<DocumentEvent> = fc.record({
  type: fc.constant('DocumentUpdated' as const),
  data: fc.record({ changes: fc.record(documentFields, { requiredKeys: [] }), file }, { requiredKeys: ['changes'] }),
});

const content = fc
  .option(fc.record({ file, uploaded: fc.record({ by: user, at: fc.constant('2026-01-01T00:00:00.000Z') }) }))
  .map((given) => given ?? { file: null, uploaded: null });

const documentReverted: fc.Arbitrary<DocumentEvent> = fc.record({
  type: fc.constant('DocumentReverted' as const),
  data: fc
    .tuple(fc.record(documentFields, { requiredKeys: [] }), fc.option(content, { nil: {} }))
    .map(([changes, given]) => ({ to: 0, changes, ...given })),
});

const laterDocumentEvent: fc.Arbitrary<DocumentEvent> = fc.oneof(
  documentUpdated,
  documentReverted,
  fc.record({ type: fc.constant('DocumentDeleted' as const), data: fc.constant({}) }),
  fc.record({ type: fc.constant('DocumentRestored' as const), data: fc.constant({}) }),
  fc.record({ type: fc.constant('DocumentErased' as const), data: erased }),
);

export const documentHistory: fc.Arbitrary<ReadonlyArray<DocumentEvent>> = fc
  .tuple(fc.option(documentCreated, { freq: 9 }), fc.array(laterDocumentEvent, { maxLength: 6 }))
  .map(([created, later]) => [...(created === null ? [] : [created]), ...later]);

export const occurrence = { actor: 'alice', at: '2026-01-02T03:04:05.678Z' };
