import type { StoredFile } from '../../../domain/document/events.js';

/** The value of `Repr-Digest` (RFC 9530): the SHA-256 of all of a file, as its event says it. */
export const reprDigest = ({ sha256 }: Pick<StoredFile, 'sha256'>): string =>
  `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`;
