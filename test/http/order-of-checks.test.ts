import { expect } from 'chai';
import { callerOf, idOf, type Call } from '../support/client.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';

const missing = '/business/00000000-0000-7000-8000-000000000000';
const tooLong = JSON.stringify({ name: 'x'.repeat(256 * 1024) });

describe('the order of checks', () => {
  let stack: MemoryStack;
  let admin: string;
  let viewer: string;
  let one: string;
  const call = callerOf(() => stack);
  before(async () => {
    stack = await startMemoryStack();
    admin = stack.tokenFor('admin');
    viewer = stack.tokenFor('viewer');
  });
  after(() => stack.stop());
  beforeEach(async () => {
    one = `/business/${idOf(await call('POST', '/business', { as: admin, body: { name: 'a' } }))}`;
    await call('PUT', one, { as: admin, body: { name: 'b' }, headers: { 'idempotency-key': 'used' } });
  });

  const statusOf = async (method: string, path: string, given: Call): Promise<number> =>
    (await call(method, path, given)).status;

  it('route and method come before the token', async () => {
    expect(await statusOf('GET', '/nothing', {})).to.equal(404);
    expect(await statusOf('PATCH', one, {})).to.equal(405);
  });

  it('the token comes before the role, the role before size, type and shape', async () => {
    const body = tooLong;
    expect(await statusOf('PUT', one, { as: 'bad', body })).to.equal(401);
    const { json } = await call('PUT', one, { as: viewer, body: '{', headers: { 'content-type': 'text/plain' } });
    expect((json as { name: string }).name).to.equal('Invalid Role');
  });

  it('size comes before media type, media type before content', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect(await statusOf('PUT', one, { as: admin, body: tooLong, headers })).to.equal(413);
    expect(await statusOf('PUT', one, { as: admin, body: '{', headers })).to.equal(415);
    expect(await statusOf('PUT', one, { as: admin, body: '{' })).to.equal(400);
  });

  it('shape comes before existence', async () => {
    expect(await statusOf('PUT', missing, { as: admin, body: { netWorth: 'x' } })).to.equal(400);
    expect(await statusOf('GET', `${missing}?revision=x`, { as: admin })).to.equal(400);
    expect(await statusOf('PUT', missing, { as: admin, body: {}, headers: { 'if-match': 'x' } })).to.equal(400);
  });

  it('shape comes before existence for a document and its file too', async () => {
    const document = missing.replace('business', 'document');
    expect(await statusOf('PUT', document, { as: admin, body: { name: 5 } })).to.equal(400);
    expect(await statusOf('GET', `${document}/file`, { as: admin, headers: { 'if-match': 'x' } })).to.equal(400);
    const { json } = await call('GET', `${document}/file?revision=x`, { as: admin, headers: { 'if-none-match': 'x' } });
    expect((json as { errors: ReadonlyArray<{ path: string }> }).errors.map(({ path }) => path)).to.deep.equal([
      'revision',
      'If-None-Match',
    ]);
  });

  const documentWrites = [
    ['POST', '/document'],
    ['PUT', missing.replace('business', 'document')],
  ] as const;
  for (const [method, path] of documentWrites)
    it(`size, then media type, then the faults of headers and body at once: ${method} of a document by JSON`, async () => {
      const given = { as: admin, headers: { 'idempotency-key': 'a b', 'if-match': 'x' } };
      const typed = { ...given, headers: { ...given.headers, 'content-type': 'text/plain' } };
      expect(await statusOf(method, path, { ...typed, body: tooLong })).to.equal(413);
      expect(await statusOf(method, path, { ...typed, body: '{' })).to.equal(415);
      const { json } = await call(method, path, { ...given, body: { name: 5, type: 'x' } });
      expect((json as { errors: ReadonlyArray<{ path: string }> }).errors.map(({ path: at }) => at)).to.deep.equal([
        'Idempotency-Key',
        'If-Match',
        'name',
        'type',
      ]);
    });

  it('existence comes before key and condition', async () => {
    const headers = { 'if-match': '"7"', 'idempotency-key': 'used' };
    for (const path of [missing, missing.replace('business', 'document')])
      expect(await statusOf('PUT', path, { as: admin, body: { name: 'c' }, headers }), path).to.equal(404);
  });

  it('the key comes before the condition', async () => {
    const headers = { 'if-match': '"7"', 'idempotency-key': 'used' };
    expect(await statusOf('PUT', one, { as: admin, body: { name: 'c' }, headers })).to.equal(422);
  });

  it('the condition comes before the rules', async () => {
    const add = (tag: string) =>
      statusOf('POST', `${one}/owner`, { as: admin, body: { user: 'bob' }, headers: { 'if-match': tag } });
    expect(await add('"1"')).to.equal(200);
    expect(await add('"1"')).to.equal(412);
    expect(await add('"2"')).to.equal(409);
  });
});
