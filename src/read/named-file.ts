import { either as E } from 'fp-ts';
import { fileNamedBy, type StoredFile } from '../domain/document/events.js';
import { documentSerde } from '../domain/document/serde.js';
import type { StoredEvent } from '../event-sourcing/recorded-event.js';

/** The category of the streams whose events name files. */
export const NAMES_FILES = 'document';

/** The file that an event of a document names, if it does. Left: why the event cannot be decoded. */
export const namedFile = (stored: StoredEvent): E.Either<string, StoredFile | undefined> => {
  const decoded = documentSerde.decode(stored);
  if (E.isLeft(decoded)) return E.left(decoded.left.reason);
  return E.right(fileNamedBy(decoded.right.event));
};
