import { expect } from 'chai';
import fc from 'fast-check';
import { NO_QUERY, NOT_UTF8, readQuery, valuesOf } from '../../src/http/parameters/query.js';
import { call as callStack, idOf, type Reply } from '../support/client.js';
import { startMemoryStack } from '../support/memory-stack.js';
import { stackOfSuite } from '../support/stack-of-suite.js';

const pathsOf = (faults: ReadonlyArray<{ readonly path: string }>): ReadonlyArray<string> =>
  faults.map(({ path }) => path);

const named = (count: number): string => Array.from({ length: count }, (_, index) => `n${index}=`).join('&');

describe('a query', () => {
  it('has the names and values that a browser gives it', () => {
    const pairs = fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), { maxLength: 20 });
    fc.assert(
      fc.property(pairs, (given) => {
        const written = new URLSearchParams(given.map(([name, value]): [string, string] => [name, value]));
        const { values, faults } = readQuery(written.toString());
        expect(faults).to.deep.equal([]);
        for (const name of written.keys()) expect(valuesOf(values, name)).to.deep.equal(written.getAll(name));
        expect(Object.keys(values)).to.have.members([...new Set(written.keys())]);
      }),
    );
  });

  it('takes what is no escape, an empty piece and a name without a value as browsers do', () => {
    for (const text of ['a=%zz&&b&=c&a=%', 'a==b&__proto__=x&%61=+', 'x=%2', ''])
      for (const name of new URLSearchParams(text).keys())
        expect(valuesOf(readQuery(text).values, name), text).to.deep.equal(new URLSearchParams(text).getAll(name));
    expect(readQuery('')).to.deep.equal(NO_QUERY);
  });

  it('names each parameter whose bytes are no UTF-8, and knows U+FFFD', () => {
    for (const bytes of ['%FF', '%ED%A0%80', 'a%C3', '%C0%AF', '%F5%80%80%80'])
      expect(readQuery(`a=1&b=${bytes}&b=${bytes}&c=%EF%BF%BD&${bytes}=d`).faults, bytes).to.deep.equal([
        { path: 'b', message: NOT_UTF8 },
        { path: '', message: NOT_UTF8 },
      ]);
  });

  it('names at most fifty, and has at most a hundred different parameters', () => {
    expect(readQuery(named(100)).faults).to.deep.equal([]);
    expect(pathsOf(readQuery(named(101)).faults)).to.deep.equal(['']);
    expect(readQuery('a&'.repeat(5_000)).faults).to.deep.equal([]);
    expect(readQuery(named(99).replaceAll('=', '=%FF')).faults).to.have.lengthOf(50);
  });
});

describe('the query of a request', () => {
  const { call } = stackOfSuite();

  const refused = ({ status, json }: Reply): ReadonlyArray<string> => {
    expect(status).to.equal(400);
    return pathsOf((json as { errors: ReadonlyArray<{ path: string }> }).errors);
  };

  it('names one owner by U+FFFD, and nobody by bytes that are no UTF-8', async () => {
    const business = `/business/${idOf(await call('POST', '/business', { body: { name: 'a' } }))}`;
    for (const user of ['\ufffd', '%FF']) await call('POST', `${business}/owner`, { body: { user } });
    expect(refused(await call('DELETE', `${business}/owner?ownerId=%FF`))).to.deep.equal(['ownerId']);
    for (const bytes of ['%FF', '%C3'])
      expect((await call('DELETE', `${business}/owner/${bytes}`)).status, bytes).to.equal(404);
    expect((await call('DELETE', `${business}/owner/%EF%BF%BD`)).json).to.include({ user: '\ufffd' });
    expect((await call('DELETE', `${business}/owner/%25FF`)).json).to.include({ user: '%FF' });
  });

  it('is refused with more than a hundred parameters, or with bytes that are no UTF-8 in one that is ignored', async () => {
    const id = idOf(await call('POST', '/business', { body: { name: 'a' } }));
    for (const path of ['/business', `/business/${id}`, `/business/${id}/events`, '/document']) {
      expect(refused(await call('GET', `${path}?${named(101)}`)), path).to.deep.equal(['']);
      expect(refused(await call('GET', `${path}?foo=%FF`)), path).to.deep.equal(['foo']);
      expect((await call('GET', `${path}?${named(100)}`)).status, path).to.equal(200);
    }
    expect(refused(await call('PUT', `/business/${id}?${named(101)}`, { body: {} }))).to.deep.equal(['']);
  });

  it('goes on in a link with the parameters that the operation knows, and no others', async () => {
    for (const name of ['l1', 'l2']) await call('POST', '/document', { body: { name, type: 'Lead' } });
    const first = await call('GET', '/document?utm=x&type=Lead&limit=1&token=secret');
    expect(first.headers.get('link')).to.match(/^<\?type=Lead&limit=1&after=[\w-]+>; rel="next"$/);
  });
});

describe('the addresses in the headers of an answer', () => {
  it('are absolute where it is known how clients reach the service', async () => {
    const stack = await startMemoryStack({ publicUrl: 'https://example.com/records' });
    const as = stack.tokenFor('admin');
    for (const name of ['a', 'b']) {
      const created = await callStack(stack, 'POST', '/business', { as, body: { name } });
      const location = `https://example.com/records/api/v1/business/${idOf(created)}`;
      expect(created.headers.get('location')).to.equal(location);
    }
    const { headers } = await callStack(stack, 'GET', '/business/?limit=1', { as });
    expect(headers.get('link')).to.match(/^<https:\/\/example\.com\/records\/api\/v1\/business\/\?limit=1&after=/);
    const root = await fetch(stack.baseUrl, { redirect: 'manual' });
    expect(root.headers.get('location')).to.equal('https://example.com/records/docs');
    await stack.stop();
  });

  it('have the path of a proxy as it is, whatever its characters mean elsewhere', async () => {
    const stack = await startMemoryStack({ publicUrl: 'https://example.com/$&$$' });
    const as = stack.tokenFor('admin');
    for (const name of ['a', 'b']) await callStack(stack, 'POST', '/business', { as, body: { name } });
    const { headers } = await callStack(stack, 'GET', '/business?limit=1', { as });
    await stack.stop();
    expect(headers.get('link')).to.match(/^<https:\/\/example\.com\/\$&\$\$\/api\/v1\/business\?limit=1&after=/);
  });
});
