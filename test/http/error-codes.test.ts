import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { errorCodes } from '../../src/http/problem/error-codes.js';
import { rawExchange } from '../support/raw-exchange.js';
import { stackOfSuite } from '../support/stack-of-suite.js';

describe('the codes of errors', () => {
  const { stack, call } = stackOfSuite();

  it('are listed with their meanings in docs/api.md and in the API description', async () => {
    const page = await readFile('docs/api.md', 'utf8');
    const rows = [...page.matchAll(/^\| `([a-z_]+)` +\| (.*?) +\|$/gm)].map(([, code, meaning]) => [code, meaning]);
    expect(rows).to.deep.equal(Object.entries(errorCodes));
    const document = (await (await fetch(`${stack().baseUrl}/openapi.json`)).json()) as {
      components: { schemas: { Error: { properties: { code: { type: string; examples: ReadonlyArray<string> } } } } };
    };
    const { code } = document.components.schemas.Error.properties;
    // an enumeration would have clients refuse a code that is newer than they are
    expect(code).to.include({ type: 'string' }).and.not.to.have.property('enum');
    expect(code.examples).to.deep.equal(Object.keys(errorCodes));
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
