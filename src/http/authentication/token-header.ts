import type { Algorithm } from './algorithm.js';

/** The protected header of a token (RFC 7515 §4.1), as it was sent: nothing in it is proven. */
export type TokenHeader = { readonly alg?: unknown; readonly kid?: unknown; readonly b64?: unknown };

/**
 * Why a token with this header is invalid whatever its signature; undefined when it is not. `crit` names extensions
 * that must be understood (RFC 7515 §4.1.11); we support none. `b64` is one of them (RFC 7797 §6): with anything but
 * `true`, the signature covers other bytes than the ones it is checked against.
 */
export const headerFault = (header: TokenHeader, algorithms: ReadonlyArray<Algorithm>): string | undefined => {
  if (Object.hasOwn(header, 'crit')) return 'The token must not have a crit header: no extension is supported';
  if (Object.hasOwn(header, 'b64') && header.b64 !== true)
    return 'The token must not have a b64 header other than true';
  return algorithms.some((algorithm) => algorithm === header.alg) ? undefined : 'The token is not valid';
};
