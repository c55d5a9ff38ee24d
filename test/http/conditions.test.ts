import { expect } from 'chai';
import { evaluate } from '../../src/http/request/conditions.js';
import { matchesTag, parseEntityTags } from '../../src/http/request/entity-tags.js';
import { callerOf, idOf } from '../support/client.js';
import { errorIn } from '../support/error-in.js';
import { processorTime } from '../support/processor-time.js';
import { type Stack, startStack } from '../support/stack.js';

describe('entity tags', () => {
  const parsed: ReadonlyArray<readonly [string, ReturnType<typeof parseEntityTags>]> = [
    ['*', '*'],
    [' "1" ', ['"1"']],
    ['"1","2"', ['"1"', '"2"']],
    [',"1" ,, "a,b",', ['"1"', '"a,b"']],
    ['""', ['""']],
    ['W/"1", "2"', ['W/"1"', '"2"']],
    ['W/"1"', ['W/"1"']],
    ['', undefined],
    [',', undefined],
    ['1', undefined],
    ['"1', undefined],
    ['"1" "2"', undefined],
    ['"1";"2"', undefined],
    ['w/"1"', undefined],
    ['*, "1"', undefined],
    ['"a b"', undefined],
  ];
  for (const [header, tags] of parsed)
    it(`reads ${JSON.stringify(header)} as ${tags === undefined ? 'malformed' : JSON.stringify(tags)}`, () => {
      expect(parseEntityTags(header)).to.deep.equal(tags);
    });

  it('matches * with whatever is there, and with nothing that is not', () => {
    expect([matchesTag('*', '"3"'), matchesTag('*', undefined), matchesTag(['"3"'], '"3"')]).to.deep.equal([
      true,
      false,
      true,
    ]);
  });

  it('looks at If-Match first', () => {
    expect(evaluate({ ifMatch: ['"1"'], ifNoneMatch: ['"2"'] }, '"2"')).to.equal('IfMatchFailed');
  });

  it('reads a header far longer than any may be within the two seconds that a request has', () => {
    const taken = processorTime(() => {
      expect(parseEntityTags(`${'"1",'.repeat(40_000)}x`)).to.equal(undefined);
      expect(parseEntityTags(`${', '.repeat(80_000)}"1`)).to.equal(undefined);
    });
    expect(taken).to.be.lessThan(2_000);
  });
});

describe('conditional requests over HTTP', () => {
  let stack: Stack;
  let as: string;
  let one: string;
  const call = callerOf(() => stack);
  before(async () => {
    stack = await startStack();
    as = stack.tokenFor('admin');
  });
  after(() => stack.stop());
  beforeEach(async () => {
    one = `/business/${idOf(await call('POST', '/business', { as, body: { name: 'a' } }))}`;
    await call('PUT', one, { as, body: { name: 'b' } });
  });

  const statuses = {
    GET: [
      [{ 'if-none-match': '"1"' }, 304],
      [{ 'if-none-match': '"0", "1"' }, 304],
      [{ 'if-none-match': '*' }, 304],
      [{ 'if-none-match': '"0"' }, 200],
      [{ 'if-none-match': 'W/"1"' }, 304],
      [{ 'if-none-match': 'W/"0", W/"1"' }, 304],
      [{ 'if-none-match': 'W/"0"' }, 200],
      [{ 'if-none-match': 'W/1' }, 400],
      [{ 'if-match': 'W/"1"' }, 412],
      [{ 'if-none-match': '1' }, 400],
      [{ 'if-match': '"1"' }, 200],
      [{ 'if-match': '"0"' }, 412],
    ],
    PUT: [
      [{ 'if-match': '"1"' }, 200],
      [{ 'if-match': '"0", "1"' }, 200],
      [{ 'if-match': '*' }, 200],
      [{ 'if-match': '"0"' }, 412],
      [{ 'if-match': '"2"' }, 412],
      [{ 'if-match': 'W/"1"' }, 412],
      [{ 'if-match': '1' }, 400],
      [{ 'if-none-match': '"1"' }, 412],
      [{ 'if-none-match': '*' }, 412],
      [{ 'if-none-match': '"0"' }, 200],
      [{ 'if-none-match': 'W/"1"' }, 200],
    ],
    HEAD: [[{ 'if-none-match': 'W/"1"' }, 304]],
    DELETE: [
      [{ 'if-match': '"0"' }, 412],
      [{ 'if-none-match': '*' }, 412],
      [{ 'if-match': '"' }, 400],
      [{ 'if-match': '"1"' }, 200],
    ],
  } as const;

  for (const [method, cases] of Object.entries(statuses))
    for (const [headers, status] of cases)
      it(`answers ${method} with ${JSON.stringify(headers)} at revision 1 by ${status}`, async () => {
        const body = method === 'PUT' ? { body: { name: 'c' } } : {};
        const reply = await call(method, one, { as, headers: { ...headers }, ...body });
        expect(reply.status).to.equal(status);
        const after = await call('GET', one, { as });
        if (status >= 400) expect(after.headers.get('etag')).to.equal('"1"');
      });

  it('sends the tag with 304, and no body', async () => {
    const { text, headers } = await call('GET', one, { as, headers: { 'if-none-match': '"1"' } });
    expect([text, headers.get('etag'), headers.get('content-length')]).to.deep.equal(['', '"1"', null]);
  });

  it('refuses a stale writer even where nothing would change', async () => {
    const stale = await call('PUT', one, { as, body: { name: 'b' }, headers: { 'if-match': '"0"' } });
    expect([stale.status, errorIn(stale.json)]).to.deep.equal([
      412,
      {
        name: 'Precondition Failed',
        message: 'The record is not at the revision the request asks for',
        status: 412,
        code: 'precondition_failed',
      },
    ]);
    expect(stale.headers.get('etag')).to.equal('"1"');
  });

  it('guards owners by the revision of their business', async () => {
    const add = (tag: string) =>
      call('POST', `${one}/owner`, { as, body: { user: 'bob' }, headers: { 'if-match': tag } });
    expect((await add('"0"')).status).to.equal(412);
    expect((await add('"1"')).status).to.equal(200);
    const remove = (tag: string) => call('DELETE', `${one}/owner?ownerId=bob`, { as, headers: { 'if-match': tag } });
    expect((await remove('"1"')).status).to.equal(412);
    expect((await remove('"2"')).status).to.equal(200);
  });

  it('merges concurrent writers that state no condition, and loses none', async () => {
    const users = Array.from({ length: 20 }, (_, index) => `user ${index}`);
    const replies = await Promise.all(users.map((user) => call('POST', `${one}/owner`, { as, body: { user } })));
    expect(new Set(replies.map(({ status }) => status))).to.deep.equal(new Set([200]));
    const { owners } = (await call('GET', one, { as })).json as { owners: ReadonlyArray<{ user: string }> };
    expect(owners.map(({ user }) => user)).to.have.members(users);
  });
});
