import type { Random } from '../../event-sourcing/random.js';

/** What the keys of all files begin with. */
export const FILES = 'documents/';

/** A new key below the document's id. It holds nothing that a client sent, and is never the same twice. */
export const newFileKey = (random: Random, documentId: string): string => `${FILES}${documentId}/${random.uuid()}`;

const FILE_KEY = /^documents\/([^/]+)\/[^/]+$/;

/** The document that a file was stored for; undefined for a key that `newFileKey` never gave. */
export const documentIdOf = (key: string): string | undefined => FILE_KEY.exec(key)?.[1];
