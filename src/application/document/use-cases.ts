import type { EventStore } from '../../event-sourcing/event-store.js';
import type { ObjectStorage } from '../ports.js';
import { admitUpload } from './admit-upload.js';
import { createDocument } from './create-document.js';
import type { ExecuteDocument } from './execute-document.js';
import { storeUpload } from './store-upload.js';
import { updateDocument } from './update-document.js';

type DocumentPorts = {
  readonly store: EventStore;
  readonly storage: Pick<ObjectStorage, 'put' | 'remove' | 'heldPerPut'>;
};

/** What can be asked of documents. */
export const documentUseCases = (execute: ExecuteDocument, { store, storage }: DocumentPorts) => ({
  admitUpload: admitUpload(store),
  storeUpload: storeUpload(storage),
  discardUpload: storage.remove,
  heldPerUpload: storage.heldPerPut,
  create: createDocument(execute, storage),
  update: updateDocument(execute, storage),
});

export type DocumentUseCases = ReturnType<typeof documentUseCases>;
