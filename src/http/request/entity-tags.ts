import type { ExpectedRevision, Revision } from '../../event-sourcing/recorded-event.js';

/** `*`, or the strong tags of a list, quotes included. Weak ones are left out: comparison is strong (RFC 9110 §8.8.3.2). */
export type EntityTags = '*' | ReadonlyArray<string>;

/** The strong entity tag of a record at a revision. */
export const tagOf = (revision: Revision): string => `"${revision}"`;

// RFC 9110 §8.8.3: etagc is any visible character but the double quote, or obs-text.
const TAG = /^(W\/)?("[\u0021\u0023-\u007e\u0080-\u00ff]*")[ \t]*(?:,|$)[ \t]*/;

/** Reads `If-Match` or `If-None-Match`; undefined when malformed. Empty list elements are passed over. */
export const parseEntityTags = (header: string): EntityTags | undefined => {
  const text = header.trim();
  if (text === '*') return '*';
  const strong: Array<string> = [];
  let rest = text.replace(/^[ \t,]+/, '');
  let count = 0;
  while (rest !== '') {
    const [matched, weak, tag] = TAG.exec(rest) ?? [];
    if (matched === undefined || tag === undefined) return undefined;
    if (weak === undefined) strong.push(tag);
    rest = rest.slice(matched.length).replace(/^[ \t,]+/, '');
    count += 1;
  }
  return count === 0 ? undefined : strong;
};

/** Whether `tags` contain the tag of a record (undefined: there is no record); `*` contains every tag. */
export const matchesTag = (tags: EntityTags, current: string | undefined): boolean =>
  current !== undefined && (tags === '*' || tags.includes(current));

export const tagOfExpected = (revision: ExpectedRevision): string | undefined =>
  revision === 'no-stream' ? undefined : tagOf(revision);
