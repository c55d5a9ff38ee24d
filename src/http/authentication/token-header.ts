import type { Algorithm } from './algorithm.js';

/** The protected header of a token (RFC 7515 §4.1), as it was sent: nothing in it is proven. */
export type TokenHeader = {
  readonly alg?: unknown;
  readonly kid?: unknown;
  readonly b64?: unknown;
  readonly typ?: unknown;
};

/** Media types of a token that may be sent as a bearer token (RFC 7519 §5.1, RFC 9068 §2.1); case does not count. */
const ACCESS_TOKEN = /^(?:application\/)?(?:at\+)?jwt$/i;

/** An issuer signs other things with the same key, such as logout tokens (RFC 8725 §3.11): their `typ` says so. */
const isOfAnotherKind = ({ typ }: TokenHeader): boolean =>
  typ !== undefined && !(typeof typ === 'string' && ACCESS_TOKEN.test(typ));

/**
 * Why a token with this header is invalid whatever its signature; undefined when it is not. `crit` names extensions
 * that must be understood (RFC 7515 §4.1.11); we support none. `b64` is one of them (RFC 7797 §6): with anything but
 * `true`, the signature covers other bytes than the ones it is checked against.
 */
export const headerFault = (header: TokenHeader, algorithms: ReadonlyArray<Algorithm>): string | undefined => {
  if (Object.hasOwn(header, 'crit')) return 'The token must not have a crit header: no extension is supported';
  if (Object.hasOwn(header, 'b64') && header.b64 !== true)
    return 'The token must not have a b64 header other than true';
  if (isOfAnotherKind(header)) return 'The type of the token (typ) must be JWT or at+jwt, or left out';
  return algorithms.some((algorithm) => algorithm === header.alg) ? undefined : 'The token is not valid';
};
