import type { DocumentChanges, StoredFile } from './events.js';

/** Null stands for the default of `type` and `entityType`, which cannot be unset, and for no value elsewhere. */
type WantedFields = Omit<DocumentChanges, 'type' | 'entityType'> & {
  readonly type?: DocumentChanges['type'] | null;
  readonly entityType?: DocumentChanges['entityType'] | null;
};

/** Absent: as null. */
export type CreateDocument = {
  readonly _tag: 'CreateDocument';
  readonly fields: WantedFields & { readonly name: string };
  readonly file: StoredFile | null;
};

/** Absent: leave as it is. `file` replaces the content. */
export type UpdateDocument = {
  readonly _tag: 'UpdateDocument';
  readonly changes: WantedFields;
  readonly file?: StoredFile | undefined;
};

export type DocumentCommand = CreateDocument | UpdateDocument;
