import * as t from 'io-ts';
import { EntityKind } from '../../domain/shared/entity-kind.js';
import { nullable } from '../../domain/shared/nullable.js';
import { named } from '../fields/json-schema.js';
import { count, instant } from '../openapi/response-schemas.js';

const text = nullable(t.string);

/** `mimeType`, `originalName` and `size` (bytes) are null while there is no file. */
export const DocumentResponse = named(
  'Document',
  t.type({
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
  }),
);
