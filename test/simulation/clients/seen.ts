import { looksAs, type Row } from '../checks/lists.js';
import type { Read } from '../checks/reads.js';
import type { Asked } from './client.js';

export const revisionIn = ({ answer: { headers } }: Asked): number | undefined => {
  const [, revision] = /^"(\d+)"$/.exec(headers.etag ?? '') ?? [];
  return revision === undefined ? undefined : Number(revision);
};

// reason: what the API answers to commands on records, and its errors
export const rowIn = ({ answer: { text } }: Asked): Row => JSON.parse(text) as Row;

export type Seen = Pick<Read, 'seen' | 'fits'>;

/** As seen, where a record is not there. */
const absent: Seen = { seen: 'absent', fits: ({ isThere }) => !isThere };

/** What GET by id has answered. */
export const seenOf = (asked: Asked): Seen => {
  if (asked.answer.status === 404) return absent;
  const row = rowIn(asked);
  const looks = looksAs(row);
  const isTagged = revisionIn(asked) === row.revision;
  return {
    seen: `revision ${row.revision}, ${row.name}, ${asked.answer.headers.etag}`,
    fits: (state) => isTagged && state.isThere && looks(state),
  };
};
