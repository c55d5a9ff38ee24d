/** A text as it comes out of the database: half of a surrogate pair is no UTF-8. */
export const wellFormed = (text: string): string => Buffer.from(text).toString();

const ELEMENT = /"((?:[^"\\]|\\.)*)"/gsu;
const NEEDS_QUOTES = /^$|^null$|[{}",\\ \t\n\r\v\f]/iu;

type Element = { readonly quoted: string; readonly value: string };

const elementsIn = (literal: string): ReadonlyArray<Element> =>
  [...literal.matchAll(ELEMENT)].map(([quoted, escaped = '']) => ({
    quoted,
    value: escaped.replace(/\\(.)/gsu, '$1'),
  }));

/** The elements of an array, by the literal of `arrayLiteral`. */
export const elementsOf = (literal: string): ReadonlyArray<string> => elementsIn(literal).map(({ value }) => value);

/** A literal of `arrayLiteral` as Postgres shows the array: with quotes only where they are needed. */
export const shownArray = (literal: string): string => {
  const elements = elementsIn(literal).map(({ quoted, value }) => (NEEDS_QUOTES.test(value) ? quoted : value));
  return `{${elements.join(',')}}`;
};

/** An instant (ISO 8601, UTC) as Postgres shows it. */
export const shownTime = (instant: string): string => {
  const [date = '', time = ''] = instant.slice(0, -1).split('T');
  return `${date} ${time.replace(/\.?0+$/u, (zeros) => (time.includes('.') ? '' : zeros))}+00`;
};
