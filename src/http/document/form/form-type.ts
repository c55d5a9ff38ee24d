import type { IncomingHttpHeaders } from 'node:http';
import { either as E } from 'fp-ts';
import { charsetFault, parametersOf, type TakenBody, unsupported } from '../../request/media-type.js';
import { type RequestInvalid, requestInvalid, type UnsupportedMediaType } from '../../problem/failure.js';

/** Whether a request says that it brings form data. What it says may still be unreadable: `readFormType` tells. */
export const isForm = (headers: IncomingHttpHeaders): boolean => /^multipart\//i.test(headers['content-type'] ?? '');

const FORM_DATA = /^multipart\/form-data[ \t]*(?=;|$)/i;

// RFC 2046 §5.1.1 allows fewer; these are the visible characters that need no escape within quotation marks
const BOUNDARY = /^(?! )[ !#-[\]-~]{0,199}[!#-[\]-~]$/;

const unreadable = (message: string): E.Either<RequestInvalid, never> =>
  E.left(requestInvalid({ path: 'Content-Type', message }));

/** What creates or changes a document. */
export const FORM_OR_JSON: TakenBody = {
  accept: 'multipart/form-data, application/json',
  message: 'The body must be multipart/form-data or application/json; PUT of /file behind a document takes any file',
};

const UNSUPPORTED: E.Either<UnsupportedMediaType, never> = E.left(unsupported(FORM_OR_JSON));

/**
 * The boundary of the parts that a `Content-Type` announces (RFC 7578 §4.1); a refusal that names the header where it
 * announces no form that can be read. This is the one reader of that header: the parser is given what it found.
 */
export const readFormType = (header: string): E.Either<RequestInvalid | UnsupportedMediaType, string> => {
  const type = FORM_DATA.exec(header)?.[0];
  if (type === undefined) return UNSUPPORTED;
  const parameters = parametersOf(header.slice(type.length));
  if (parameters === undefined) return unreadable('must be multipart/form-data; boundary=…, and nothing unreadable');
  const fault = charsetFault(parameters, FORM_OR_JSON);
  if (fault !== undefined) return E.left(fault);
  const [boundary, ...others] = parameters.filter(([name]) => name === 'boundary').map(([, value]) => value);
  if (boundary === undefined || others.length > 0) return unreadable('must name one boundary');
  return BOUNDARY.test(boundary)
    ? E.right(boundary)
    : unreadable('must name a boundary of 1 to 200 visible ASCII characters, without quotation marks and backslashes');
};
