import { expect } from 'chai';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { rawExchange } from '../support/raw-exchange.js';

const get = (...lines: ReadonlyArray<string>): string => ['GET /livez HTTP/1.1', ...lines, '', ''].join('\r\n');
const post = (...lines: ReadonlyArray<string>): string =>
  ['POST /livez HTTP/1.1', 'Host: x', ...lines, '', '0', '', ''].join('\r\n');
const last = 'Connection: close';

/** What is sent, and the status of the answer; all but the last rows are answered by the error object. */
const refused: ReadonlyArray<readonly [what: string, bytes: string, status: number]> = [
  ['no Host', get(), 400],
  ['two Host lines', get('Host: a', 'Host: a'), 400],
  ['two Host lines, the second in capitals', get('Host: a', 'Accept: */*', 'HOST: b'), 400],
  ['two Content-Type lines', get('Host: a', 'Content-Type: text/plain', 'content-type: text/plain'), 400],
  ['two Authorization lines', get('Host: a', 'Authorization: Bearer a', 'Authorization: Bearer b'), 400],
  ['an empty Host', get('Host:'), 400],
  ['a Host with a space', get('Host: a b'), 400],
  ['a Host with a path', get('Host: a/b'), 400],
  ['a Host with a user', get('Host: me@a'), 400],
  ['a Host with two ports', get('Host: a:1:2'), 400],
  ['a Host whose port is none', get('Host: a:x'), 400],
  ['a Host with a bracket that stays open', get('Host: [::1'), 400],
  ['a Host in an absolute target too, invalid', 'GET http://x/livez HTTP/1.1\r\nHost: a b\r\n\r\n', 400],
  ['HTTP/2.0 in the request line', 'GET /livez HTTP/2.0\r\nHost: x\r\n\r\n', 505],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505],
  ['HTTP/3.0', 'GET /livez HTTP/3.0\r\nHost: x\r\n\r\n', 505],
  ['HTTP/1.2', 'GET /livez HTTP/1.2\r\nHost: x\r\n\r\n', 505],
  ['HTTP/0.9', 'GET /livez HTTP/0.9\r\nHost: x\r\n\r\n', 505],
  ['a request line without a version', 'GET /livez\r\n\r\n', 505],
  ['gzip as the coding', post('Transfer-Encoding: gzip'), 501],
  ['gzip, then chunked', post('Transfer-Encoding: gzip, chunked'), 501],
  ['chunked, then gzip', post('Transfer-Encoding: chunked, gzip'), 501],
  ['identity', post('Transfer-Encoding: identity'), 501],
  ['an unknown coding', post('Transfer-Encoding: xchunked'), 501],
  ['chunked with a parameter', post('Transfer-Encoding: chunked;q=1'), 501],
  ['chunked twice', post('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'), 501],
  ['no coding at all', post('Transfer-Encoding:'), 501],
  ['a coding without a body', get('Host: x', 'Transfer-Encoding: gzip'), 501],
  ['chunked and a length', post('Transfer-Encoding: chunked', 'Content-Length: 5'), 400],
  ['a length and chunked', post('Content-Length: 5', 'Transfer-Encoding: chunked'), 400],
  ['two lengths', post('Content-Length: 5', 'Content-Length: 6'), 400],
  ['chunked in HTTP/1.0', 'POST /livez HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
  ['a length that is no number', post('Content-Length: five'), 400],
  ['a folded header', get('Host: x', 'A: b', ' c'), 400],
  ['a space before the colon', get('Host : x'), 400],
  ['a bare line feed', 'GET /livez HTTP/1.1\nHost: x\n\n', 400],
  ['a NUL in a header', get('Host: x', 'A: \0'), 400],
  ['a method of its own', 'FOO /livez HTTP/1.1\r\nHost: x\r\n\r\n', 501],
  [
    'a chunk length that is none',
    'POST /api/v1/business HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n',
    400,
  ],
];

const taken: ReadonlyArray<readonly [what: string, bytes: string]> = [
  ['a name', get('Host: a', last)],
  ['a name with a port', get('Host: a.example:8080', last)],
  ['an address', get('Host: 127.0.0.1:3000', last)],
  ['an address of version 6', get('Host: [::1]:3000', last)],
  ['a name in capitals, in a header in capitals', get('HOST: EXAMPLE', last)],
  ['no Host in HTTP/1.0', 'GET /livez HTTP/1.0\r\n\r\n'],
  ['an absolute target', `GET http://x/livez HTTP/1.1\r\nHost: x\r\n${last}\r\n\r\n`],
];

describe('HTTP as RFC 9112 has it', () => {
  let stack: MemoryStack;
  before(async () => (stack = await startMemoryStack()));
  after(() => stack.stop());

  for (const [what, bytes, status] of refused)
    it(`answers ${what} by ${status}, and closes the connection`, async () => {
      const answer = await rawExchange(stack.baseUrl, bytes);
      const [, body = ''] = answer.split('\r\n\r\n');
      expect(answer).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      expect(JSON.parse(body))
        .to.include({ status })
        .and.to.have.keys(status === 400 ? ['name', 'message', 'status', 'errors'] : ['name', 'message', 'status']);
    });

  for (const [what, bytes] of taken)
    it(`takes ${what}`, async () => {
      expect(await rawExchange(stack.baseUrl, bytes)).to.match(/^HTTP\/1.1 200 /);
    });

  it('answers what came before in full when the rest is no HTTP', async () => {
    const answers = await rawExchange(stack.baseUrl, `${get('Host: x')}${get('Host: x')}nonsense\r\n\r\n`);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);
  });
});
