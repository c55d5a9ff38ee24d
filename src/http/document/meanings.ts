import type { DocumentFields, StoredFile } from '../../domain/document/events.js';

/** What the fields of a document mean, wherever they are: in what is sent, in what is answered and in events. */
export const documentMeanings = {
  name: 'How the document is called.',
  description: 'What it is, in as many lines as that takes.',
  tags: 'Words that it is found by.',
  type: 'The kind of what it is about.',
  entityType: 'The kind of the record that it is attached to.',
  entity: 'The id of the record that it is attached to.',
} satisfies Record<keyof DocumentFields, string>;

export const fileMeanings = {
  mimeType: 'The media type of the file, told by its bytes.',
  originalName: 'The name that the file was uploaded under.',
  size: 'The bytes of the file.',
  sha256: 'The SHA-256 of the file, in hex.',
  key: 'Where the file is in the storage.',
} satisfies Record<keyof StoredFile, string>;
