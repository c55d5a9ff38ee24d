import * as fc from 'fast-check';
import type { DocumentEvent, StoredFile } from '../../src/domain/document/events.js';
import { entityKind, orNull, text } from './arbitrary-values.js';
import { draw } from './draw.js';

export type DocumentEventOf<Type extends DocumentEvent['type']> = Extract<DocumentEvent, { type: Type }>;

const fields = {
  name: text,
  description: orNull(text),
  tags: fc.array(text, { maxLength: 3 }),
  type: entityKind,
  entityType: entityKind,
  entity: orNull(text),
};

export const storedFile = fc.record({
  key: fc.uuid().map((id) => `documents/${id}`),
  size: fc.nat(),
  // few enough that the same content comes again
  sha256: fc.constantFrom('a'.repeat(64), 'b'.repeat(64)),
  mimeType: fc.constantFrom('text/plain', 'image/png'),
  originalName: fc.constantFrom('a.txt', 'ä.png'),
});

const documentCreated: fc.Arbitrary<DocumentEventOf<'DocumentCreated'>> = fc
  .record({ ...fields, file: orNull(storedFile) })
  .map((data) => ({ type: 'DocumentCreated', data }));

const attachment = fc.record({ entity: text, entityType: entityKind });

const documentUpdated: fc.Arbitrary<DocumentEventOf<'DocumentUpdated'>> = fc
  .record(
    {
      changes: fc.record(fields, { requiredKeys: [] }),
      file: storedFile,
      attachedTo: attachment,
      detachedFrom: attachment,
    },
    { requiredKeys: ['changes'] },
  )
  .map((data) => ({ type: 'DocumentUpdated', data }));

/** The file that a revert brings back, with who uploaded it; or that there was none. */
export const contentThen = orNull(
  fc.record({ file: storedFile, uploaded: fc.record({ by: text, at: fc.constant('2026-01-02T03:04:05.678Z') }) }),
).map((content) => content ?? { file: null, uploaded: null });

const documentReverted: fc.Arbitrary<DocumentEventOf<'DocumentReverted'>> = fc
  .record(
    {
      to: fc.nat(),
      changes: fc.record(fields, { requiredKeys: [] }),
      content: contentThen,
      attachedTo: attachment,
      detachedFrom: attachment,
    },
    { requiredKeys: ['to', 'changes'] },
  )
  .map(({ content, ...data }) => ({ type: 'DocumentReverted', data: { ...data, ...content } }));

const withoutData: fc.Arbitrary<DocumentEventOf<'DocumentDeleted' | 'DocumentRestored'>> = fc.constantFrom(
  { type: 'DocumentDeleted' as const, data: {} },
  { type: 'DocumentRestored' as const, data: {} },
);

export const documentEvent: fc.Arbitrary<DocumentEvent> = fc.oneof(
  documentCreated,
  documentUpdated,
  documentReverted,
  withoutData,
);

export const aStoredFile = (over: Partial<StoredFile> = {}): StoredFile => ({ ...draw(storedFile), ...over });

export const aDocumentCreated = (
  over: Partial<DocumentEventOf<'DocumentCreated'>['data']> = {},
): DocumentEventOf<'DocumentCreated'> => ({
  type: 'DocumentCreated',
  data: { ...draw(documentCreated).data, ...over },
});

export const aDocumentUpdated = (
  over: Partial<DocumentEventOf<'DocumentUpdated'>['data']> = {},
): DocumentEventOf<'DocumentUpdated'> => ({
  type: 'DocumentUpdated',
  data: { ...draw(documentUpdated).data, ...over },
});

/** Back to a file, uploaded by ann, or to none. */
export const aDocumentReverted = (file: StoredFile | null): DocumentEventOf<'DocumentReverted'> => ({
  type: 'DocumentReverted',
  data: { to: 0, changes: {}, file, uploaded: file && { by: 'ann', at: '2026-01-02T03:04:05.678Z' } },
});
