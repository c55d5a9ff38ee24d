import * as t from 'io-ts';
import { Role } from '../authentication/roles.js';
import { describe, explain, named, WHOLE_NUMBER } from '../fields/json-schema.js';
import { errorCodes } from '../problem/error-codes.js';

export const instant = describe(new t.StringType(), { type: 'string', format: 'date-time' });

export const count = describe(new t.NumberType(), WHOLE_NUMBER);

/** What every record shows of its history (`src/read/record-body.ts`). */
export const lifecycle = { createdAt: instant, updatedAt: instant, revision: count };

export const lifecycleMeanings = {
  createdAt: 'When the record was created, UTC.',
  updatedAt: 'When it last changed, UTC.',
  revision: 'How often it has changed since: its place in its history, and, in quotes, its ETag.',
};

/** How each part of the service is, by its key. */
export const checks = describe(t.record(t.string, t.string), {
  type: 'object',
  additionalProperties: { type: 'string', enum: ['ok', 'failed'] },
});

/** A text and not an enumeration: the list grows, and a client that was generated before must take what is new. */
const errorCode = describe(new t.StringType(), { type: 'string', examples: Object.keys(errorCodes) });

const errorMeanings = {
  name: 'The kind of failure, in a few words.',
  message: 'What failed, for people.',
  status: 'That of the answer.',
  code: 'What failed, for programs: stable. The list of them, which are the examples, only grows.',
  requestId: 'Names the request in the log of the service, as X-Request-Id does.',
  roles: 'The roles of which a token needs one.',
  errors: 'Every fault of a request that is not valid.',
  path: 'The field of the body, the parameter or the header that has the fault.',
  checks: 'How each part of the service is.',
};

/**
 * `errors` names every fault of a request that is not valid, `roles` those of which a token needs one; `checks` of `/readyz`
 * says how each part of the service is.
 */
export const ErrorResponse = named(
  'Error',
  explain(
    { ...errorMeanings, '': 'Why a request failed.' },
    t.intersection([
      t.type({ name: t.string, message: t.string, status: count, code: errorCode, requestId: t.string }),
      t.partial({ roles: t.array(Role), errors: t.array(t.type({ path: t.string, message: t.string })), checks }),
    ]),
  ),
);

/** The same as problem details (RFC 9457), for who accepts those. */
export const ProblemResponse = named(
  'Problem',
  explain(
    {
      '': 'The same as problem details (RFC 9457).',
      type: 'Where the code is explained.',
      title: 'What the code means.',
      detail: 'As message.',
      instance: 'Names the request: # and requestId.',
    },
    t.intersection([ErrorResponse, t.type({ type: t.string, title: t.string, detail: t.string, instance: t.string })]),
  ),
);
