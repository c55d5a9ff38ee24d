import * as t from 'io-ts';
import { EVENT_STREAM } from '../feed/event-stream.js';
import { LAST_EVENT_ID } from '../feed/parameters.js';
import { fields } from '../fields/fields-type.js';
import { explain, named } from '../fields/json-schema.js';
import { instant } from '../openapi/response-schemas.js';
import { revisionParameter } from '../parameters/revision.js';
import { parameter } from '../parameters/parameter.js';

/** What a link lives at most, and where it is not said for how long; and never longer than the token of who makes it. */
export const LONGEST_SECONDS = 3_600;

const Seconds = parameter<number>({
  expectation: `a whole number from 1 to ${LONGEST_SECONDS}`,
  meaning: `How long the link is valid, but no longer than the token. Default: ${LONGEST_SECONDS}.`,
  schema: { type: 'integer', minimum: 1, maximum: LONGEST_SECONDS },
  read: (value) => {
    const seconds = /^\d{1,4}$/.test(value) ? Number(value) : 0;
    return seconds >= 1 && seconds <= LONGEST_SECONDS ? seconds : undefined;
  },
});

/** Beside the parameters of the read that a link is to. */
export const linkParameters = { seconds: Seconds };

export const LinkParameters = fields(linkParameters);

const LinkResponse = named(
  'Link',
  explain(
    {
      '': 'A link that whoever has it can open, without a token, until it expires.',
      url: 'Where it leads: absolute where the service knows its public address, else relative to that of the request.',
      expiresAt: 'When it expires, UTC.',
    },
    t.type({ url: t.string, expiresAt: instant }),
  ),
);

/** The making of a link to what is at `path` outside of the API. */
export const linking = (path: string) => ({
  success: LinkResponse,
  example: {
    url: `/link/${path}/eyJzdWIiOiJhbGljZSJ9.nCdUh4Z1m3rGgZ5Zt0z3s4Y2q8kF1vXo6bWcJr9LeTA`,
    expiresAt: '2026-03-01T10:30:00.000Z',
  },
  failures: [400, 401, 404, 500, 503],
});

/** Where the feed of a record begins, that a link leads to. */
export const LinkedFeedParameters = fields({
  after: revisionParameter('Starts the feed behind the event with this index among the events of all records.'),
});

/** The making of a link to the feed of a record. */
export const linkingFeed = (path: string) => ({
  query: fields({ ...LinkedFeedParameters.props, ...linkParameters }),
  ...linking(path),
});

/** A read by a link. */
export const byLink = { failures: [400, 404, 500, 503] } as const;

/** A feed by a link, as browsers follow it. */
export const feedByLink = {
  success: { mediaType: EVENT_STREAM },
  requestHeaders: [LAST_EVENT_ID],
  ...byLink,
} as const;
