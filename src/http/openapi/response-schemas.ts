import * as t from 'io-ts';
import { EntityKind } from '../../domain/shared/entity-kind.js';
import { field } from '../fields/field.js';
import { named } from '../fields/json-schema.js';

export const instant = field<string>({
  expectation: 'an ISO 8601 instant, UTC',
  schema: { type: 'string', format: 'date-time' },
  read: (value) => (typeof value === 'string' ? value : undefined),
});

export const count = field<number>({
  expectation: 'a whole number of at least 0',
  schema: { type: 'integer', minimum: 0 },
  read: (value) => (typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined),
});

const EventRefResponse = named('EventRef', t.type({ entity: t.string, entityType: EntityKind }));

/** An event of one of these types of entities; `stream` and `metadata` only with `proof`. */
export const eventResponse = (entityTypes: ReadonlyArray<string>): t.Mixed =>
  named(
    'Event',
    t.intersection([
      t.type({
        _id: t.string,
        type: t.keyof({ created: null, updated: null, deleted: null }),
        message: t.string,
        user: t.string,
        entity: t.string,
        entityType: t.keyof(Object.fromEntries(entityTypes.map((type) => [type, null]))),
        refs: t.array(EventRefResponse),
        name: t.string,
        at: instant,
        revision: count,
        hash: t.string,
        data: t.UnknownRecord,
      }),
      t.partial({ stream: t.string, metadata: t.UnknownRecord }),
    ]),
  );

/** `errors` names every fault of a request that is not valid. */
export const ErrorResponse = named(
  'Error',
  t.intersection([
    t.type({ name: t.string, message: t.string, status: count }),
    t.partial({ errors: t.array(t.type({ path: t.string, message: t.string })) }),
  ]),
);
