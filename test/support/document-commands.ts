import * as fc from 'fast-check';
import type { DocumentCommand } from '../../src/domain/document/commands.js';
import { orNull } from './arbitrary-values.js';
import { contentThen, storedFile } from './document-events.js';

// Few enough values that commands meet what already is.
const text = fc.constantFrom('a', 'ä', '😀');
const kind = fc.constantFrom('Document', 'Lead', 'Offer');

const values = {
  name: text,
  description: orNull(text),
  tags: fc.uniqueArray(text, { maxLength: 2 }),
  type: kind,
  entityType: kind,
  entity: orNull(text),
};

const changes = fc.record({ ...values, type: orNull(kind), entityType: orNull(kind) }, { requiredKeys: [] });

/** Any command on one document. */
export const documentCommand: fc.Arbitrary<DocumentCommand> = fc.oneof(
  fc
    .record({ fields: changes, name: text, file: orNull(storedFile) })
    .map(({ fields, name, file }) => ({ _tag: 'CreateDocument' as const, fields: { ...fields, name }, file })),
  fc
    .record({ changes, file: fc.option(storedFile, { nil: undefined }) })
    .map(({ changes: fields, file }) => ({ _tag: 'UpdateDocument' as const, changes: fields, file })),
  fc.constant({ _tag: 'DeleteDocument' as const }),
  fc.constant({ _tag: 'RestoreDocument' as const }),
  fc
    .record({
      to: fc.nat(9),
      fields: fc.record(values, { requiredKeys: [] }),
      content: fc.option(contentThen, { nil: undefined }),
    })
    .map(({ to, fields, content }) => ({ _tag: 'RevertDocument' as const, to, fields, content })),
);
