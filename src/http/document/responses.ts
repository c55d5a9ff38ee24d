import * as t from 'io-ts';
import { EntityKind } from '../../domain/shared/entity-kind.js';
import { nullable } from '../../domain/shared/nullable.js';
import { explain, named } from '../fields/json-schema.js';
import { count, instant, lifecycle, lifecycleMeanings } from '../openapi/response-schemas.js';
import { documentMeanings, fileMeanings } from './meanings.js';

const text = nullable(t.string);

/** `mimeType`, `originalName` and `size` (bytes) are null while there is no file. */
export const DocumentResponse = named(
  'Document',
  explain(
    {
      ...documentMeanings,
      ...fileMeanings,
      ...lifecycleMeanings,
      '': 'A document. Every key is there; null where it was never set or has been cleared, or there is no file.',
      _id: 'Identifies the document.',
      uploadedBy: 'Who uploaded the file.',
      uploadedAt: 'When the file was uploaded, UTC.',
      generatedBy: 'Who made the record.',
      generatedAt: 'When the record was made, UTC.',
    },
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
      ...lifecycle,
    }),
  ),
);
