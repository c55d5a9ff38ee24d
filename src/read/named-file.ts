import { either as E } from 'fp-ts';
import { fileNamedBy, type StoredFile } from '../domain/document/events.js';
import { documentSerde } from '../domain/document/serde.js';
import { isEncrypted } from '../event-sourcing/encryption/at-rest.js';
import { decodeUnlessErased, isPassedOver } from '../event-sourcing/passed-over.js';
import type { StoredEvent } from '../event-sourcing/recorded-event.js';

/** The category of the streams whose events name files. */
export const NAMES_FILES = 'document';

/** The file that an event of a document names, if it does; one whose data was erased names none. Left: why the event cannot be decoded. */
export const namedFile = (stored: StoredEvent): E.Either<string, StoredFile | undefined> => {
  if (isEncrypted(stored)) return E.left('it is encrypted, and its key is not here');
  const decoded = decodeUnlessErased(documentSerde, stored);
  if (E.isLeft(decoded)) return E.left(decoded.left.reason);
  const { event } = decoded.right;
  return E.right(isPassedOver(event) ? undefined : fileNamedBy(event));
};
