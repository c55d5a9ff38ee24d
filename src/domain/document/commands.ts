import type { DocumentChanges, StoredFile } from './events.js';

/** Absent or null: the default. */
export type CreateDocument = {
  readonly _tag: 'CreateDocument';
  readonly fields: Omit<DocumentChanges, 'entityType' | 'type'> & {
    readonly name: string;
    readonly type?: DocumentChanges['type'] | null;
    readonly entityType?: DocumentChanges['entityType'] | null;
  };
  readonly file: StoredFile | null;
};

/** Absent: leave as it is; null: clear, or back to the default. `file` replaces the content. */
export type UpdateDocument = {
  readonly _tag: 'UpdateDocument';
  readonly changes: Omit<DocumentChanges, 'entityType' | 'type'> & {
    readonly type?: DocumentChanges['type'] | null;
    readonly entityType?: DocumentChanges['entityType'] | null;
  };
  readonly file?: StoredFile | undefined;
};

export type DocumentCommand = CreateDocument | UpdateDocument;
