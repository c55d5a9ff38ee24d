import { expect } from 'chai';
import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import { endingHeaders } from '../../../src/http/openapi/ending.js';
import type { Route } from '../../../src/http/route.js';
import { callerOf } from '../../support/client.js';
import type { Paths } from '../../support/conforms.js';
import { type MemoryStack, startMemoryStack } from '../../support/memory-stack.js';

const ending = {
  deprecated: new Date('2026-01-01T00:00:00Z'),
  sunset: new Date('2027-07-01T00:00:00Z'),
  instead: 'Use `GET /api/v2/thing/{thingId}`.',
};
const SAID = { deprecation: '@1767225600', sunset: 'Thu, 01 Jul 2027 00:00:00 GMT' };

const row: Route = {
  operation: 'getThing',
  description: {
    tag: 'Business',
    summary: 'Something that ends',
    ending,
    success: t.UnknownRecord,
    otherStatuses: [304],
    failures: [401, 404],
  },
  method: 'GET',
  path: '/api/v1/thing/:id',
  access: 'token',
  roles: ['viewer'],
  handle: ({ params }) =>
    Promise.resolve(
      params['id'] === 'here' ? E.right({ status: 200, body: '{}' }) : E.left({ _tag: 'EntityNotFound' as const }),
    ),
};

type Described = {
  readonly components: { readonly responses: Readonly<Record<string, { readonly headers: object }>> };
  readonly paths: Paths<{
    readonly deprecated?: boolean;
    readonly description: string;
    readonly responses: Readonly<Record<string, { readonly headers?: object }>>;
  }>;
};

describe('an operation that ends', () => {
  let stack: MemoryStack;
  const call = callerOf(() => stack);
  before(async () => {
    stack = await startMemoryStack({ routes: [row], corsOrigins: ['https://app.example'] });
  });
  after(() => stack.stop());

  const said = (headers: Headers) => ({ deprecation: headers.get('deprecation'), sunset: headers.get('sunset') });

  for (const [what, path, role, status] of [
    ['a success', '/thing/here', 'viewer', 200],
    ['a failure', '/thing/gone', 'viewer', 404],
    ['a refusal', '/thing/here', undefined, 401],
  ] as const)
    it(`says so in ${what}`, async () => {
      const answer = await call('GET', path, role === undefined ? {} : { as: stack.tokenFor(role) });
      expect([answer.status, said(answer.headers)]).to.deep.equal([status, SAID]);
    });

  it('says so to pages of other origins', async () => {
    const headers = { Origin: 'https://app.example' };
    const answer = await call('GET', '/thing/here', { as: stack.tokenFor('viewer'), headers });
    expect(answer.headers.get('access-control-expose-headers')?.split(',')).to.include.members([
      'Deprecation',
      'Sunset',
    ]);
  });

  it('is described as deprecated, with when it ends and what to use instead', async () => {
    const response = await fetch(`${stack.baseUrl}/openapi.json`);
    // reason: the members that the test is about
    const { paths, components } = (await response.json()) as Described;
    const { deprecated, description, responses } = paths['/api/v1/thing/{thingId}']!['get']!;
    expect({ deprecated, description }).to.deep.equal({
      deprecated: true,
      description: 'Roles: viewer. Ends on 2027-07-01. Use `GET /api/v2/thing/{thingId}`.',
    });
    for (const answered of ['200', '304'])
      expect(responses[answered]!.headers).to.include.keys('Deprecation', 'Sunset');
    expect(components.responses['NotFound']!.headers).to.include.keys('Deprecation', 'Sunset');
  });

  it('has none beside it that says so', async () => {
    const answer = await call('GET', '/business', { as: stack.tokenFor('viewer') });
    expect(said(answer.headers)).to.deep.equal({ deprecation: null, sunset: null });
  });

  it('leaves its clients a year', () => {
    const { deprecated } = ending;
    const beforeALeapDay = { ...ending, deprecated: new Date('2027-03-01T00:00:00Z') };
    expect(() => endingHeaders({ ...beforeALeapDay, sunset: new Date('2028-02-29T00:00:00Z') })).to.throw(
      'at least a year',
    );
    for (const sunset of ['2026-12-31T23:59:59Z', '2025-01-01T00:00:00Z', 'not a date'])
      expect(() => endingHeaders({ ...ending, deprecated, sunset: new Date(sunset) })).to.throw(
        'at least a year after',
      );
    expect(endingHeaders({ ...ending, deprecated, sunset: new Date('2027-01-01T00:00:00Z') })).to.include({
      Sunset: 'Fri, 01 Jan 2027 00:00:00 GMT',
    });
  });
});
