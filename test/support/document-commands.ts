import * as fc from 'fast-check';
import type { DocumentCommand } from '../../src/domain/document/commands.js';
import { orNull } from './arbitrary-values.js';
import { storedFile } from './document-events.js';

// Few enough values that commands meet what already is.
const text = fc.constantFrom('a', 'ä', '😀');
const kind = fc.constantFrom('Document', 'Lead', 'Offer');

const changes = fc.record(
  {
    name: text,
    description: orNull(text),
    tags: fc.uniqueArray(text, { maxLength: 2 }),
    type: orNull(kind),
    entityType: orNull(kind),
    entity: orNull(text),
  },
  { requiredKeys: [] },
);

/** Any command on one document. */
export const documentCommand: fc.Arbitrary<DocumentCommand> = fc.oneof(
  fc
    .record({ fields: changes, name: text, file: orNull(storedFile) })
    .map(({ fields, name, file }) => ({ _tag: 'CreateDocument' as const, fields: { ...fields, name }, file })),
  fc
    .record({ changes, file: fc.option(storedFile, { nil: undefined }) })
    .map(({ changes: fields, file }) => ({ _tag: 'UpdateDocument' as const, changes: fields, file })),
);
