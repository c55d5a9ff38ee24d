import type { ExpectedRevision, Revision } from '../../event-sourcing/recorded-event.js';

/** `*`, or the tags of a list as they are written, quotes and `W/` included. */
export type EntityTags = '*' | ReadonlyArray<string>;

/** The strong entity tag of a record at a revision. */
export const tagOf = (revision: Revision): string => `"${revision}"`;

// RFC 9110 §8.8.3: etagc is any visible character but the double quote, or obs-text.
const TAG = /^(W\/)?("[\u0021\u0023-\u007e\u0080-\u00ff]*")[ \t]*(?:,|$)[ \t]*/;

/** Reads `If-Match` or `If-None-Match`; undefined when malformed. Empty list elements are passed over. */
export const parseEntityTags = (header: string): EntityTags | undefined => {
  const text = header.trim();
  if (text === '*') return '*';
  const tags: Array<string> = [];
  let rest = text.replace(/^[ \t,]+/, '');
  while (rest !== '') {
    const [matched, weak = '', tag] = TAG.exec(rest) ?? [];
    if (matched === undefined || tag === undefined) return undefined;
    tags.push(weak + tag);
    rest = rest.slice(matched.length).replace(/^[ \t,]+/, '');
  }
  return tags.length === 0 ? undefined : tags;
};

/** Compares the tags of a request with the strong one of a record (undefined: there is no record). */
export type MatchesTag = (tags: EntityTags, current: string | undefined) => boolean;

/** Strongly: a weak tag matches nothing (RFC 9110 §8.8.3.2). `*` matches every record. */
export const matchesTag: MatchesTag = (tags, current) =>
  current !== undefined && (tags === '*' || tags.includes(current));

/** Weakly: a tag matches with or without its `W/`, which a proxy adds that sends the body in another coding. */
export const matchesTagWeakly: MatchesTag = (tags, current) =>
  matchesTag(tags, current) || (tags !== '*' && tags.includes(`W/${current}`));

export const tagOfExpected = (revision: ExpectedRevision): string | undefined =>
  revision === 'no-stream' ? undefined : tagOf(revision);
