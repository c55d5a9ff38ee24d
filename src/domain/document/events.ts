import * as t from 'io-ts';
import { Erased } from '../../event-sourcing/erasure/erased-events.js';
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

const DocumentDeleted = t.type({ type: t.literal('DocumentDeleted'), data: t.type({}) });

/** It is again as it was when it was deleted, with its file. */
const DocumentRestored = t.type({ type: t.literal('DocumentRestored'), data: t.type({}) });

/** Who did something, and when (ISO 8601 UTC). */
const Stamp = t.type({ by: t.string, at: t.string });
export type Stamp = Readonly<t.TypeOf<typeof Stamp>>;

/**
 * `changes`: the fields that got back the values that they had at the revision `to`; `file`, and who `uploaded` it, when another
 * version of the content came back, null when there was none then. The rest is as of an update.
 */
const DocumentReverted = t.type({
  type: t.literal('DocumentReverted'),
  data: t.intersection([
    t.type({ to: t.number, changes: DocumentChanges }),
    t.partial({
      file: nullable(StoredFile),
      uploaded: nullable(Stamp),
      attachedTo: Attachment,
      detachedFrom: Attachment,
    }),
  ]),
});

/** The data of all events before it was destroyed, and their files. */
const DocumentErased = t.type({ type: t.literal('DocumentErased'), data: Erased });

export const DocumentEvent = t.union([
  DocumentCreated,
  DocumentUpdated,
  DocumentDeleted,
  DocumentRestored,
  DocumentReverted,
  DocumentErased,
]);
export type DocumentEvent = t.TypeOf<typeof DocumentEvent>;

/** The file that an event names: from then on it is that of the document. */
export const fileNamedBy = ({ data }: DocumentEvent): StoredFile | undefined =>
  ('file' in data ? data.file : undefined) ?? undefined;
