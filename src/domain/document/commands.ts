import type { DocumentChanges, StoredFile } from './events.js';
import type { Document } from './state.js';

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

type DeleteDocument = { readonly _tag: 'DeleteDocument' };

type RestoreDocument = { readonly _tag: 'RestoreDocument' };

/**
 * `fields`: the values of the revision `to`, of those fields that are to have them again. `content`: the file of that revision,
 * if that is to come back.
 */
export type RevertDocument = {
  readonly _tag: 'RevertDocument';
  readonly to: number;
  readonly fields: DocumentChanges;
  readonly content?: Pick<Document, 'file' | 'uploaded'> | undefined;
};

export type DocumentCommand = CreateDocument | UpdateDocument | DeleteDocument | RestoreDocument | RevertDocument;
