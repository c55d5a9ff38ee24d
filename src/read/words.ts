import { isAsciiText } from '../event-sourcing/byte-string.js';

/** UTF-16 units of a word that count: what follows is cut off, in records and in what is searched for. */
const LONGEST_WORD = 64;

/** Different words of one record that can be found. */
const MOST_WORDS = 2_000;

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

const ASCII_WORD = /[0-9a-z]+/g;
/** Letters, digits and the marks on them: punctuation within a word, as in `report.pdf`, divides it. */
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Those of the controls and annotations that nobody sees, and the musical null notehead, Unicode counts elsewhere. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u0080-\u0084\u0086-\u009f\ufff9-\ufffb\u{1d159}]/gu;

/** What only draws a word out: the tatweel, and the same of N'Ko and Mongolian. */
const DRAWN_OUT = /[\u0640\u07fa\u180a]/g;

/**
 * Without what only the typing makes different: invisible characters, as a soft hyphen, the tatweel, compatible forms (NFKC)
 * and case. Lower, upper and lower case again: `ẞ` has only a lower case that has `SS` for its upper case. `İ` leaves a dot above its
 * `i`, and the Greek sigma has two lower cases. Case may take a letter from its marks, so NFKC comes last as well.
 */
const fold = (text: string): string =>
  text
    .replace(UNSEEN, '')
    .normalize('NFKC')
    // some compatible forms become a tatweel with a mark
    .replace(DRAWN_OUT, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('i\u0307', 'i')
    .replaceAll('ς', 'σ')
    .normalize('NFKC');

/** A pair of surrogates is not divided. */
const shortened = (word: string): string => {
  if (word.length <= LONGEST_WORD) return word;
  const isDivided = /[\ud800-\udbff]/.test(word.charAt(LONGEST_WORD - 1));
  return word.slice(0, isDivided ? LONGEST_WORD - 1 : LONGEST_WORD);
};

const wordsIn = function* (text: string): Generator<string> {
  // the segmenter would give the same, in ten times the time
  if (isAsciiText(text)) {
    for (const word of text.toLowerCase().match(ASCII_WORD) ?? []) yield shortened(word);
    return;
  }
  // scripts that put no space between words are divided by a dictionary
  for (const { segment } of segmenter.segment(fold(text)))
    for (const word of segment.match(WORD) ?? []) yield shortened(word);
};

/**
 * The words of some texts, each once, by Unicode's rules (UAX #29), in whatever script, without case: what a record is found
 * by, and what is searched for. Bounded in number and length.
 */
export const wordsOf = (texts: Iterable<string | null>): ReadonlySet<string> => {
  const words = new Set<string>();
  for (const text of texts)
    if (text !== null)
      for (const word of wordsIn(text)) {
        if (words.size === MOST_WORDS) return words;
        words.add(word);
      }
  return words;
};
