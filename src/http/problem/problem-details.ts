import { acceptedQuality, accepts } from '../request/accepted-quality.js';
import { errorCodes } from './error-codes.js';
import { type ErrorObject, errorBody } from './error-body.js';

export const PROBLEM_TYPE = 'application/problem+json';

/** Where the codes are explained, each at the anchor of its name. */
const CODES_PAGE = '/docs';

/**
 * Whether a client wants its errors as problem details: it names their media type, and plain JSON not before it. Few do,
 * and the header is read as a whole only where it has that type.
 */
export const wantsProblemDetails = (accept: string | undefined): boolean => {
  if (!accepts(accept, PROBLEM_TYPE)) return false;
  const quality = acceptedQuality(accept, PROBLEM_TYPE);
  return quality > 0 && quality >= acceptedQuality(accept, 'application/json');
};

/**
 * The error object as problem details (RFC 9457), with the contract's keys behind theirs. `instance` is the request, by
 * its id, which is valid as a fragment.
 */
export const problemDetails = (error: ErrorObject, requestId: string): string => {
  const { code, status, message } = error;
  const details = {
    ...{ type: `${CODES_PAGE}#${code}`, title: errorCodes[code], status, detail: message },
    instance: `#${requestId}`,
  };
  return JSON.stringify({ ...details, ...errorBody(error, requestId) });
};
