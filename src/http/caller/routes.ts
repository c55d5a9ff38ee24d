import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import { Role } from '../authentication/roles.js';
import { explain, named } from '../fields/json-schema.js';
import type { OperationDescription } from '../openapi/operation-description.js';
import { count, instant } from '../openapi/response-schemas.js';
import { shownInstant } from '../parameters/instant.js';
import { PAGE_LIMIT } from '../parameters/page.js';
import { API } from '../paths.js';
import { JSON_LIMIT } from '../request/json-body.js';
import type { AuthorizedContext } from '../request-context.js';
import type { Route } from '../route.js';

/** What is configured of the limits of a caller. */
type CallerLimits = {
  /** Requests a minute; undefined: no limit. */
  readonly rateLimit: number | undefined;
  /** Largest file, bytes. */
  readonly maxUploadBytes: number;
};

const CallerResponse = named(
  'Caller',
  explain(
    {
      '': 'Who asks, by its token, and what this process limits it by.',
      subject: 'The `sub` of the token: the `user` of the events of what it does.',
      roles: 'Those of the token that the service knows. An operation names those of which it takes one.',
      expiresAt: 'When the token expires, UTC.',
      limits: 'What one request, or all of a minute, may have.',
      requestsPerMinute: 'Requests a minute; null: no limit.',
      jsonBytes: 'Bytes of a JSON body.',
      uploadBytes: 'Bytes of a file.',
      pageSize: 'Records or events of a page.',
    },
    t.type({
      subject: t.string,
      roles: t.array(Role),
      expiresAt: instant,
      limits: t.type({
        requestsPerMinute: t.union([count, t.null]),
        jsonBytes: count,
        uploadBytes: count,
        pageSize: count,
      }),
    }),
  ),
);

/** The answer to an editor of a service with the default limits, as a test compares it with what is answered. */
export const callerExample = {
  subject: 'alice',
  roles: ['editor'],
  expiresAt: '2026-11-24T03:00:00.000Z',
  limits: { requestsPerMinute: null, jsonBytes: 262_144, uploadBytes: 104_857_600, pageSize: 1_000 },
} satisfies t.TypeOf<typeof CallerResponse>;

const description: OperationDescription = {
  tag: 'Caller',
  summary: 'Who the token says you are, until when, and the limits that hold for you',
  success: CallerResponse,
  example: callerExample,
  failures: [401, 500, 503],
};

/** The row that tells callers who they are. It answers from the token alone: no store is asked. */
export const callerRoutes = ({ rateLimit, maxUploadBytes }: CallerLimits): ReadonlyArray<Route> => {
  const limits = {
    requestsPerMinute: rateLimit ?? null,
    jsonBytes: JSON_LIMIT,
    uploadBytes: maxUploadBytes,
    pageSize: PAGE_LIMIT,
  };
  const shown = ({ caller }: AuthorizedContext): t.TypeOf<typeof CallerResponse> => ({
    subject: caller.subject,
    roles: [...new Set(caller.roles)],
    expiresAt: shownInstant(new Date(caller.expiresAt * 1000)),
    limits,
  });
  return [
    {
      operation: 'getCaller',
      description,
      method: 'GET',
      path: `${API}/me`,
      access: 'token',
      roles: 'any',
      handle: (request) => Promise.resolve(E.right({ status: 200, body: JSON.stringify(shown(request)) })),
    },
  ];
};
