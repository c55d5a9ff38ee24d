import * as t from 'io-ts';
import { EntityKind } from '../../domain/shared/entity-kind.js';
import { nullable } from '../../domain/shared/nullable.js';
import type { BusinessView } from '../../read/business-view.js';
import { field } from '../fields/field.js';

const text = nullable(t.string);
const amount = nullable(t.number);

const instant = field<string>({
  expectation: 'an ISO 8601 instant, UTC',
  schema: { type: 'string', format: 'date-time' },
  read: (value) => (typeof value === 'string' ? value : undefined),
});

const count = field<number>({
  expectation: 'a whole number of at least 0',
  schema: { type: 'integer', minimum: 0 },
  read: (value) => (typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined),
});

export const BusinessOwnerAnswer = t.type({ user: t.string, title: text, equity: amount });

/** Every key is always there; null where it was never set or has been cleared. */
export const BusinessAnswer = t.type({
  _id: t.string,
  businessType: text,
  name: t.string,
  dba: text,
  displayname: text,
  email: text,
  phone: text,
  website: text,
  netWorth: amount,
  revenue: amount,
  ein: text,
  parent: text,
  line1: text,
  line2: text,
  city: text,
  state: text,
  zip: text,
  country: text,
  owners: t.array(BusinessOwnerAnswer),
}) satisfies t.Decoder<unknown, BusinessView>;

/** `mimeType`, `originalName` and `size` (bytes) are null while there is no file. */
export const DocumentAnswer = t.type({
  _id: t.string,
  type: EntityKind,
  entityType: EntityKind,
  entity: text,
  tags: t.array(t.string),
  name: t.string,
  originalName: text,
  description: text,
  uploadedBy: text,
  uploadedAt: nullable(instant),
  generatedBy: text,
  generatedAt: nullable(instant),
  mimeType: text,
  size: nullable(count),
});

const EventRefAnswer = t.type({ entity: t.string, entityType: EntityKind });

/** `stream` and `metadata` only where the proof is asked for. */
export const EventAnswer = t.intersection([
  t.type({
    _id: t.string,
    type: t.keyof({ created: null, updated: null, deleted: null }),
    message: t.string,
    user: t.string,
    entity: t.string,
    entityType: t.keyof({ Business: null, Document: null }),
    refs: t.array(EventRefAnswer),
    name: t.string,
    at: instant,
    revision: count,
    hash: t.string,
    data: t.UnknownRecord,
  }),
  t.partial({ stream: t.string, metadata: t.UnknownRecord }),
]);

/** `errors` names every fault of a request that is not valid. */
const ErrorAnswer = t.intersection([
  t.type({ name: t.string, message: t.string, status: count }),
  t.partial({ errors: t.array(t.type({ path: t.string, message: t.string })) }),
]);

export const HealthAnswer = t.type({ status: t.string });

/** `warnings` only where there are any: the service works, but somebody should look after it. */
export const ReadinessAnswer = t.intersection([HealthAnswer, t.partial({ warnings: t.array(t.string) })]);

/** What the document calls them. */
export const answerNames: ReadonlyMap<t.Mixed, string> = new Map<t.Mixed, string>([
  [BusinessAnswer, 'Business'],
  [BusinessOwnerAnswer, 'BusinessOwner'],
  [DocumentAnswer, 'Document'],
  [EventAnswer, 'Event'],
  [EventRefAnswer, 'EventRef'],
  [ErrorAnswer, 'Error'],
]);
