import { field } from './field.js';
import { isPlainText, PLAIN_TEXT } from './text.js';

const LIMIT = 1000;

const ABSOLUTE = /^https?:\/\/[^\s/\\?#][^\s\\]*$/iu;

const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]*[\\p{L}\\p{M}\\p{N}])?';
// A port only after a dot: `localhost:80` looks like a URL of the scheme `localhost`.
const BARE_HOST = new RegExp(`^${LABEL}(?:(?:\\.${LABEL})+\\.?(?::\\d{1,5})?)?$`, 'u');

const isWebsite = (value: string): boolean =>
  (ABSOLUTE.test(value) && URL.canParse(value)) || (BARE_HOST.test(value) && URL.canParse(`http://${value}`));

/** Where a business is on the web. It is data: the service never fetches it. */
export const Website = field<string | null>({
  expectation: `an http(s) URL or a host name of at most ${LIMIT} characters, or null`,
  schema: {
    type: ['string', 'null'],
    maxLength: LIMIT,
    pattern: PLAIN_TEXT,
    description: 'An http(s) URL with //, or a host name, with a port only after a dot.',
  },
  read: (value) => {
    if (value === null || value === '') return null;
    return typeof value === 'string' && isPlainText(value, LIMIT) && isWebsite(value) ? value : undefined;
  },
});
