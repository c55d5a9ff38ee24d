import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { errorCodes } from '../../src/http/problem/error-codes.js';
import { idOf, type Reply } from '../support/client.js';
import { rawExchange } from '../support/raw-exchange.js';
import { stackOfSuite } from '../support/stack-of-suite.js';

const codeOf = ({ json }: Reply): unknown => (json as { readonly code?: unknown }).code;

describe('the codes of errors', () => {
  const { stack, call } = stackOfSuite();

  it('are listed with their meanings in docs/api.md and in the API description', async () => {
    const page = await readFile('docs/api.md', 'utf8');
    const rows = [...page.matchAll(/^\| `([a-z_]+)` +\| (.*?) +\|$/gm)].map(([, code, meaning]) => [code, meaning]);
    expect(rows).to.deep.equal(Object.entries(errorCodes));
    const document = (await (await fetch(`${stack().baseUrl}/openapi.json`)).json()) as {
      components: { schemas: { Error: { properties: { code: { enum: ReadonlyArray<string> } } } } };
    };
    expect(document.components.schemas.Error.properties.code.enum).to.deep.equal(Object.keys(errorCodes));
  });

  it('tell a state that was not from a record that never was', async () => {
    const id = idOf(await call('POST', '/business', { body: { name: 'a' } }));
    const one = `/business/${id}`;
    const asOf = async (query: string): Promise<unknown> => codeOf(await call('GET', `${one}?${query}`));
    expect(await asOf('revision=1')).to.equal('revision_not_found');
    expect(await asOf('at=2000-01-01T00:00:00Z')).to.equal('revision_not_found');
    await call('DELETE', one);
    expect(await asOf('revision=1')).to.equal('revision_not_found');
    expect(await asOf(`at=${new Date().toISOString()}`)).to.equal('revision_not_found');
    expect(codeOf(await call('GET', one))).to.equal('business_not_found');
    for (const query of ['revision=0', 'at=2000-01-01T00:00:00Z'])
      expect(codeOf(await call('GET', `/business/00000000-0000-7000-8000-000000000000?${query}`)), query).to.equal(
        'business_not_found',
      );
  });

  it('tell a document without a file from one that there is not', async () => {
    const id = idOf(await call('POST', '/document', { body: { name: 'a' } }));
    const unknown = '/document/00000000-0000-7000-8000-000000000000/file';
    expect(codeOf(await call('GET', `/document/${id}/file`))).to.equal('file_not_found');
    expect(codeOf(await call('GET', `/document/${id}/file?revision=0`))).to.equal('file_not_found');
    expect(codeOf(await call('GET', `/document/${id}/file?revision=1`))).to.equal('revision_not_found');
    expect(codeOf(await call('GET', unknown))).to.equal('document_not_found');
    expect(codeOf(await call('GET', `${unknown}?revision=0`))).to.equal('document_not_found');
  });

  it('tell a missing owner from a missing business', async () => {
    const id = idOf(await call('POST', '/business', { body: { name: 'a' } }));
    const removed = await call('DELETE', `/business/${id}/owner/bob`);
    expect([removed.status, codeOf(removed)]).to.deep.equal([404, 'owner_not_found']);
    const unknown = await call('DELETE', '/business/00000000-0000-7000-8000-000000000000/owner/bob');
    expect([unknown.status, codeOf(unknown)]).to.deep.equal([404, 'business_not_found']);
  });

  it('name a cursor that is none', async () => {
    const after = '00000000-0000-7000-8000-000000000000';
    const reply = await call('GET', `/business?limit=1&after=${after}`);
    expect([reply.status, codeOf(reply)]).to.deep.equal([400, 'cursor_unknown']);
  });

  it('come with a 412 that has the tag to be asked with, to GET and to PUT', async () => {
    const id = idOf(await call('POST', '/business', { body: { name: 'a' } }));
    const one = `/business/${id}`;
    const events = (await call('GET', `${one}/events`)).headers.get('etag');
    const stale = { headers: { 'if-match': '"7"' } };
    const replies = [
      await call('GET', one, stale),
      await call('PUT', one, { ...stale, body: { name: 'b' } }),
      await call('GET', `${one}/events`, stale),
      await call('POST', '/business', { ...stale, body: { name: 'b' } }),
    ];
    expect(replies.map((reply) => [reply.status, codeOf(reply), reply.headers.get('etag')])).to.deep.equal(
      ['"0"', '"0"', events, null].map((tag) => [412, 'precondition_failed', tag]),
    );
  });

  it('come with the id that the answer has, also where a request could not be read', async () => {
    const { json, headers } = await call('GET', '/nothing', { as: undefined, headers: { 'x-request-id': 'mine' } });
    expect(json).to.include({ requestId: 'mine' });
    expect(headers.get('x-request-id')).to.equal('mine');
    const unread: ReadonlyArray<readonly [string, string]> = [
      ['GET / HTTP/1.1\r\nX-Request-Id: mine\r\n\r\n', 'host_invalid'],
      ['GET / HTTP/1.1\r\nHost: a b\r\n\r\n', 'host_invalid'],
      ['GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n', 'transfer_encoding_not_supported'],
      ['GET / HTTP/2.7\r\nHost: x\r\n\r\n', 'http_version_not_supported'],
      ['nonsense\r\n\r\n', 'request_malformed'],
      ['BREW / HTTP/1.1\r\nHost: x\r\n\r\n', 'method_not_known'],
      [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 'headers_too_large'],
      ['CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 'method_not_allowed'],
    ];
    for (const [sent, code] of unread) {
      const answer = await rawExchange(stack().baseUrl, sent);
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      const error = JSON.parse(body) as { readonly code: string; readonly requestId: string };
      expect(error.code, sent.slice(0, 60)).to.equal(code);
      expect(/^X-Request-Id: (.+)$/im.exec(head)?.[1], sent.slice(0, 60)).to.equal(error.requestId);
      if (sent.includes('mine')) expect(error.requestId).to.equal('mine');
    }
  });
});
