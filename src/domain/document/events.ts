import * as t from 'io-ts';
import { EntityKind } from '../shared/entity-kind.js';
import { nullable } from '../shared/nullable.js';

const fields = {
  name: t.string,
  description: nullable(t.string),
  tags: t.readonlyArray(t.string),
  type: EntityKind,
  entityType: EntityKind,
  entity: nullable(t.string),
};

export const DocumentFields = t.type(fields);
export type DocumentFields = Readonly<t.TypeOf<typeof DocumentFields>>;

const DocumentChanges = t.partial(fields);
export type DocumentChanges = Readonly<t.TypeOf<typeof DocumentChanges>>;

/** A file in object storage: `size` in bytes, `sha256` in hex, both counted on the stream that stored it. */
export const StoredFile = t.type({
  key: t.string,
  size: t.number,
  sha256: t.string,
  mimeType: t.string,
  originalName: t.string,
});
export type StoredFile = Readonly<t.TypeOf<typeof StoredFile>>;

/** What a document is attached to. */
export const Attachment = t.type({ entity: t.string, entityType: EntityKind });
export type Attachment = Readonly<t.TypeOf<typeof Attachment>>;

/** `file` is null for a record made without an upload. */
const DocumentCreated = t.type({
  type: t.literal('DocumentCreated'),
  data: t.intersection([DocumentFields, t.type({ file: nullable(StoredFile) })]),
});

/**
 * `changes`: the fields that changed; `file` only when the content was replaced. `attachedTo` names what the document
 * is attached to after the event, `detachedFrom` what it was attached to before, when that changed.
 */
const DocumentUpdated = t.type({
  type: t.literal('DocumentUpdated'),
  data: t.intersection([
    t.type({ changes: DocumentChanges }),
    t.partial({ file: StoredFile, attachedTo: Attachment, detachedFrom: Attachment }),
  ]),
});

export const DocumentEvent = t.union([DocumentCreated, DocumentUpdated]);
export type DocumentEvent = t.TypeOf<typeof DocumentEvent>;
