import { MulterError } from 'multer';
import { UnusableFileName } from './upload-engine.js';
import { type BodyFailure, requestInvalid, type Unexpected } from '../../problem/failure.js';

const invalid = (path: string | undefined, message: string): BodyFailure =>
  requestInvalid({ path: path ?? '', message });

// What busboy says of a body that is no form with the boundary that its content type names.
const MALFORMED = /^(Unexpected end of|Malformed part header)/;

const messages: Readonly<Record<string, string>> = {
  LIMIT_UNEXPECTED_FILE: 'must be the only file of the form, and its part be named file',
  LIMIT_FIELD_VALUE: 'is too long',
  LIMIT_PART_COUNT: 'has too many parts',
};

const limitFailure = ({ code, field }: MulterError, maxUploadBytes: number): BodyFailure =>
  code === 'LIMIT_FILE_SIZE'
    ? { _tag: 'PayloadTooLarge', limit: maxUploadBytes }
    : invalid(field, messages[code] ?? 'has a part whose name is missing, too long or malformed');

/** What an error of the form parser means to the client that sent the form. */
export const formFailure = (error: unknown, maxUploadBytes: number): BodyFailure | Unexpected => {
  if (error instanceof MulterError) return limitFailure(error, maxUploadBytes);
  if (error instanceof UnusableFileName) return invalid('file', 'must have a file name, in valid UTF-8');
  return error instanceof Error && MALFORMED.test(error.message)
    ? invalid(undefined, 'must be complete multipart/form-data')
    : { _tag: 'Unexpected', cause: error };
};
