import * as t from 'io-ts';
import { EntityKind } from '../../domain/shared/entity-kind.js';
import { describe, named } from '../fields/json-schema.js';

export const instant = describe(new t.StringType(), { type: 'string', format: 'date-time' });

export const count = describe(new t.NumberType(), { type: 'integer', minimum: 0 });

const EventRefResponse = named('EventRef', t.type({ entity: t.string, entityType: EntityKind }));

/** `path` is a JSON Pointer into the record; null stands for no value. */
const EventChangeResponse = named('EventChange', t.type({ path: t.string, before: t.unknown, after: t.unknown }));

/**
 * An event of one of these types of entities; `reason` where one was given, `diff` only with `diff`, `stream` and
 * `metadata` only with `proof`.
 */
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
      t.partial({
        reason: t.string,
        diff: t.array(EventChangeResponse),
        stream: t.string,
        metadata: t.UnknownRecord,
      }),
    ]),
  );

/** `errors` names every fault of a request that is not valid; `code` tells causes of one status apart. */
export const ErrorResponse = named(
  'Error',
  t.intersection([
    t.type({ name: t.string, message: t.string, status: count }),
    t.partial({ code: t.string, errors: t.array(t.type({ path: t.string, message: t.string })) }),
  ]),
);
