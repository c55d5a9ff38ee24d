import { listElements } from './list-elements.js';

/** As `Preference-Applied` says it. */
export const STRICT = 'handling=strict';
export const COUNTED = 'count=exact';

// No two parts of it can take the same blanks: otherwise each division of a run of blanks is tried before it does not match.
const preference = (name: string): RegExp =>
  new RegExp(String.raw`^[ \t]*${name}[ \t]*(?:=[ \t]*(?:"([^"]*)"[ \t]*|([^"; \t]+)[ \t]*)?)?(?:;|$)`, 'i');

const HANDLING = preference('handling');
const COUNT = preference('count');

/** The value of a preference in lower case; the first of its name counts. What cannot be read is no preference, and never a fault. */
const valueOf = (prefer: string | ReadonlyArray<string> | undefined, named: RegExp): string | undefined => {
  if (prefer === undefined) return undefined;
  for (const element of listElements([prefer].flat().join(','))) {
    const found = named.exec(element);
    if (found === null) continue;
    const [, quoted, token] = found;
    return (quoted?.replace(/\\(.)/g, '$1') ?? token)?.toLowerCase();
  }
  return undefined;
};

/** Whether `Prefer` asks that a request is refused rather than understood in part: `handling=strict` (RFC 7240 §4.4). */
export const prefersStrict = (prefer: string | ReadonlyArray<string> | undefined): boolean =>
  valueOf(prefer, HANDLING) === 'strict';

/** Whether `Prefer` asks how many records a whole list has: `count=exact`. */
export const prefersCount = (prefer: string | ReadonlyArray<string> | undefined): boolean =>
  valueOf(prefer, COUNT) === 'exact';

/** Headers of a response that also say that a preference was applied, all of them in one `Preference-Applied`. */
export const withApplied = (headers: ReadonlyArray<string>, applied: string): ReadonlyArray<string> => {
  const at = headers.indexOf('Preference-Applied');
  return at === -1
    ? [...headers, 'Preference-Applied', applied]
    : headers.with(at + 1, `${headers[at + 1]}, ${applied}`);
};
