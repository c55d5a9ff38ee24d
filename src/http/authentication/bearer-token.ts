// RFC 6750 §2.1: b64token; the scheme is case-insensitive (RFC 9110 §11.1).
const BEARER = /^bearer +([\w.~+/-]+=*)$/i;

/** The token in an Authorization header; undefined when the header has another form. */
export const bearerToken = (header: string): string | undefined => BEARER.exec(header)?.[1];
