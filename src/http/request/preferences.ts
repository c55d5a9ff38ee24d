import { listElements } from './list-elements.js';

/** As `Preference-Applied` says it. */
export const STRICT = 'handling=strict';

// No two parts of it can take the same blanks: otherwise each division of a run of blanks is tried before it does not match.
const HANDLING = /^[ \t]*handling[ \t]*(?:=[ \t]*(?:"([^"]*)"[ \t]*|([^"; \t]+)[ \t]*)?)?(?:;|$)/i;

/**
 * Whether `Prefer` asks that a request is refused rather than understood in part: `handling=strict` (RFC 7240 §4.4). The
 * first `handling` counts. What cannot be read is no preference, and never a fault.
 */
export const prefersStrict = (prefer: string | ReadonlyArray<string> | undefined): boolean => {
  if (prefer === undefined) return false;
  for (const preference of listElements([prefer].flat().join(','))) {
    const handling = HANDLING.exec(preference);
    if (handling === null) continue;
    const [, quoted, token] = handling;
    return (quoted?.replace(/\\(.)/g, '$1') ?? token)?.toLowerCase() === 'strict';
  }
  return false;
};
