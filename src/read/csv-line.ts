/**
 * What a spreadsheet takes for the beginning of a formula: https://owasp.org/www-community/attacks/CSV_Injection. It may
 * divide at semicolons, tabs and line ends, too, and then takes no notice of quotes: what follows one of these is the beginning
 * of a cell as well, also behind quotes and spaces.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[\t\r\n]|(?:"|[^\S\t\r\n])*[=+\-@＝＋－＠])/gu;

/** The same within JSON, of whose line ends and tabs nothing is left: an escape there leaves the value as it is. */
const FORMULA_IN_JSON = /(;\s*)([=+\-@＝＋－＠])/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string'
    ? value.replace(FORMULA, "'")
    : JSON.stringify(value).replace(
        FORMULA_IN_JSON,
        (_, before: string, character: string) => `${before}${escaped(character)}`,
      );
};

/** RFC 4180 §2. A cell never begins a formula, wherever it is divided: what would be one gets an apostrophe before it. */
const cell = (value: unknown): string => {
  const text = textOf(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** One line of a table, with its end; what is no text as JSON, null as nothing. */
export const csvLineOf = (values: ReadonlyArray<unknown>): string => `${values.map(cell).join(',')}\r\n`;
