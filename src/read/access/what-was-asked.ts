import { readInstant } from '../read-instant.js';

/** Parameters that are instants: written as UTC, however they were given. */
const INSTANTS = new Set(['at', 'since', 'until', 'before']);

/** Parameters whose values name no person. Of all others the name alone is kept. */
const IMPERSONAL = new Set(
  ['revision', 'from', 'after', 'limit', 'order', 'proof', 'diff', 'bom', 'preview']
    .concat(['name', 'field', 'operation', 'entityType'])
    .concat(['stream', 'category', 'position', 'without-data', 'without-secrets']),
);

/** What the values of those look like, where they mean something: numbers, truth values, names of events and fields. */
const PLAIN = /^[\w.-]{1,64}$/;

/** Several kinds may be asked for at once, separated by commas. */
const isPlain = (name: string, value: string): boolean =>
  (name === 'entityType' ? value.split(',') : [value]).every((each) => PLAIN.test(each));

const shown = (name: string, value: unknown): string => {
  if (typeof value !== 'string') return name;
  if (INSTANTS.has(name)) {
    const instant = readInstant(value);
    return instant === undefined ? name : `${name}=${instant.toISOString()}`;
  }
  return IMPERSONAL.has(name) && isPlain(name, value) ? `${name}=${value}` : name;
};

/**
 * The parameters of a read for the record of reads, joined by `&`: a user, an id, words that were searched for and
 * whatever else can name a person by the name of the parameter alone.
 */
export const whatWasAsked = (given: ReadonlyArray<readonly [name: string, value: unknown]>): string =>
  given.map(([name, value]) => shown(name, value)).join('&');
