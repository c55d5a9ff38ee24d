import { expect } from 'chai';
import type { ErrorCode } from '../../../src/http/problem/error-codes.js';
import { type Described, makeConforms } from '../../support/conforms.js';
import { startMemoryStack } from '../../support/memory-stack.js';
import { faultsOf } from './checks.js';
import type { HttpResponse } from './client.js';
import type { Draft } from './draft.js';
import { anything, error, invalid, only } from './expectation.js';
import { type Operation, operationsOf } from './operations.js';
import type { KnownRecord } from './session-state.js';

const ID = '01a20054-f0e4-7187-b3ff-1d114e781ad7';
const PATH = `/api/v1/business/${ID}`;

const common = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-cache',
  'x-request-id': 'r',
  'content-type': 'application/json; charset=utf-8',
};

const unset = [
  'businessType',
  'dba',
  'displayname',
  'email',
  'phone',
  'website',
  'netWorth',
  'revenue',
  'ein',
  'parent',
];
const address = ['line1', 'line2', 'city', 'state', 'zip', 'country'];
const business = {
  ...Object.fromEntries([...unset, ...address].map((key) => [key, null])),
  ...{ _id: ID, name: 'Acme', owners: [] },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z', revision: 3 },
};

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): HttpResponse => ({
  status,
  headers: { ...common, ...headers },
  bytes: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});

const good = answer(200, business, { etag: '"3"' });
const fault = { path: 'name', message: 'expected text' };
const coded = (code: ErrorCode) => ({ code, requestId: common['x-request-id'] });
const rejection = {
  name: 'Validation Error',
  message: 'The request is not valid',
  status: 400,
  ...coded('validation_failed'),
  errors: [fault],
};
const record: KnownRecord = {
  ...{ id: ID, path: PATH, tag: '"3"', isDeleted: false, text: JSON.stringify(business), fileSize: undefined },
  ...{ parts: new Map<string, Array<string>>(), instants: [] },
};

describe('what the fuzzer takes for a fault', () => {
  let conforms: ReturnType<typeof makeConforms>;
  let operations: ReadonlyArray<Operation>;

  before(async () => {
    const stack = await startMemoryStack();
    const document = (await (await fetch(`${stack.baseUrl}/openapi.json`)).json()) as Described;
    await stack.stop();
    conforms = makeConforms(document);
    operations = operationsOf(document);
  });

  const draftOf = (id: string, more: Partial<Draft> = {}): Draft => {
    const operation = operations.find((one) => one.id === id)!;
    return {
      ...{ operation, record, part: undefined, method: operation.method, path: PATH, query: [], rawQuery: '' },
      ...{
        headers: [],
        authorization: 'allowed',
        body: { _tag: 'None' },
        isChunked: false,
        isPlain: true,
        isFollowing: false,
      },
      ...{ repeats: undefined, expects: anything },
      ...more,
    };
  };

  const faults = (draft: Draft, answered: HttpResponse): ReadonlyArray<string> => {
    const wire = { method: draft.method, path: draft.path, headers: [], body: undefined };
    return faultsOf(conforms, operations, draft, wire, answered);
  };

  const read = (more: Partial<Draft> = {}): Draft => draftOf('getBusiness', more);
  const write = (more: Partial<Draft> = {}): Draft => draftOf('updateBusiness', more);
  const json = (...members: ReadonlyArray<readonly [string, string]>) => ({ body: { _tag: 'Json', members } }) as const;
  const list = (more: Partial<Draft>): Draft => draftOf('listBusinesses', { path: '/api/v1/business', ...more });
  const fileOf = (more: Partial<Draft> = {}): Draft =>
    draftOf('getDocumentFile', { path: `/api/v1/document/${ID}/file`, ...more });
  const fileHeaders = {
    etag: '"x"',
    'content-disposition': 'attachment',
    'accept-ranges': 'bytes',
    'repr-digest': 'sha-256=::',
  };

  it('is nothing in an answer that is right', () => {
    expect(faults(read({ expects: only(200) }), good)).to.deep.equal([]);
    expect(faults(write({ expects: invalid('name') }), answer(400, rejection))).to.deep.equal([]);
    expect(faults(list({ query: [['limit', '1']] }), answer(200, [business]))).to.deep.equal([]);
  });

  const wrong: ReadonlyArray<readonly [string, () => readonly [Draft, HttpResponse], string]> = [
    ['a failure of the service', () => [read(), answer(500, '')], 'the service failed'],
    ['a service that gives up', () => [read(), answer(503, '')], 'the service failed'],
    ['a status that is not described', () => [read(), answer(202, business)], '202, which is not described'],
    [
      'a body in another form',
      () => [read(), answer(200, { _id: ID }, { etag: '"3"' })],
      'with a body in another form',
    ],
    [
      'a media type that is not described',
      () => [read(), answer(200, 'x', { etag: '"3"', 'content-type': 'text/plain' })],
      'as text/plain',
    ],
    ['no ETag', () => [read(), answer(200, business)], 'without ETag'],
    [
      'no WWW-Authenticate',
      () => [read(), answer(401, { name: 'Unauthorized', message: '', status: 401, ...coded('token_invalid') })],
      'without WWW-Authenticate',
    ],
    ['another status than expected', () => [read({ expects: only(412) }), good], 'expected 412'],
    ['a further key in an error', () => [write(), answer(400, { ...rejection, stack: 'x' })], 'more keys'],
    [
      'another requestId in the error',
      () => [write(), answer(400, { ...rejection, requestId: 'another' })],
      'another requestId',
    ],
    ['roles in another error', () => [write(), answer(400, { ...rejection, roles: ['admin'] })], 'role_missing'],
    ['another status in the error', () => [write(), answer(400, { ...rejection, status: 500 })], 'another status'],
    [
      'a name that the contract does not have',
      () => [write(), answer(400, { ...rejection, name: 'Bad' })],
      'the name Bad',
    ],
    ['an error without its faults', () => [write(), answer(400, { ...rejection, errors: undefined })], 'errors belong'],
    [
      'another message than the contract’s',
      () => [
        read(),
        answer(404, { name: 'Entity not found', message: 'gone', status: 404, ...coded('business_not_found') }),
      ],
      'another message',
    ],
    [
      'another of two errors of one status',
      () => [
        read({ expects: error(401, 'Invalid Role') }),
        answer(
          401,
          { name: 'Unauthorized', message: '', status: 401, ...coded('token_invalid') },
          { 'www-authenticate': 'Bearer' },
        ),
      ],
      'expected the error Invalid Role',
    ],
    [
      'another fault than the one',
      () => [write({ expects: invalid('phone') }), answer(400, rejection)],
      'a fault of "phone"',
    ],
    [
      'the value that was sent',
      () => [
        write({ expects: invalid('name'), ...json(['name', '"tell me"']) }),
        answer(400, { ...rejection, errors: [{ ...fault, message: 'tell me is wrong' }] }),
      ],
      'the value that was sent',
    ],
    [
      'the value of a header that was sent',
      () => [
        write({ expects: invalid('Change-Reason'), headers: [['Change-Reason', 'tell me']] }),
        answer(400, { ...rejection, errors: [{ path: 'Change-Reason', message: 'not tell me' }] }),
      ],
      'the value that was sent',
    ],
    [
      'an answer that a browser may guess at',
      () => [read(), { ...good, headers: { ...good.headers, 'x-content-type-options': undefined } }],
      'nosniff',
    ],
    [
      'an answer that caches keep',
      () => [read(), { ...good, headers: { ...good.headers, 'cache-control': 'public' } }],
      'cache',
    ],
    [
      'methods that the path does not take',
      () => [
        read({ method: 'PATCH', expects: only(405) }),
        answer(
          405,
          { name: 'Method Not Allowed', message: '', status: 405, ...coded('method_not_allowed') },
          { allow: 'GET' },
        ),
      ],
      'expected Allow: DELETE, GET, HEAD, OPTIONS, PUT',
    ],
    ['a field that was lost', () => [write(json(['phone', '"1"'])), good], 'phone is not answered as it was sent'],
    ['an old revision', () => [read(), answer(200, business, { etag: '"2"' })], 'not at "3"'],
    [
      'a change that was lost',
      () => [read(), answer(200, { ...business, name: 'Other' }, { etag: '"3"' })],
      'not as the last change left it',
    ],
    [
      'a page that is too long',
      () => [list({ query: [['limit', '1']] }), answer(200, [business, business])],
      'more than 1',
    ],
    ['a list that is not filtered', () => [list({ query: [['name', 'x']] }), answer(200, [business])], 'not asked for'],
    [
      'a link to nothing',
      () => [
        draftOf('listBusinessEvents', { path: `${PATH}/events`, isFollowing: true }),
        answer(200, [], { etag: '"0"' }),
      ],
      'a link led to an empty page',
    ],
    ['a file with other bytes', () => [fileOf(), answer(200, 'other', fileHeaders)], 'the digest'],
    [
      'a range with other bytes',
      () => [fileOf(), answer(206, 'abc', { ...fileHeaders, 'content-range': 'bytes 0-1/9' })],
      'as long as Content-Range',
    ],
    [
      'a repeat that is answered otherwise',
      () => [
        write({
          repeats: { operation: write().operation, key: 'k', record, part: undefined, wire: {} as never, text: '{}' },
        }),
        good,
      ],
      'the repeat of a request',
    ],
  ];
  for (const [what, made, said] of wrong)
    it(`is ${what}`, () => {
      expect(faults(...made()).join('\n')).to.contain(said);
    });
});
