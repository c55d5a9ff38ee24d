import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { callerOf, idOf } from '../support/client.js';
import { errorIn } from '../support/error-in.js';
import { rawExchange } from '../support/raw-exchange.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';

describe('malformed requests over HTTP', () => {
  let stack: MemoryStack;
  let as: string;
  const call = callerOf(() => stack);
  before(async () => {
    stack = await startMemoryStack();
    as = stack.tokenFor('admin');
  });
  after(() => stack.stop());

  const post = async (body: string | Buffer, headers: Record<string, string> = {}) => {
    const response = await fetch(`${stack.baseUrl}/api/v1/business`, {
      method: 'POST',
      headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    const json = (await response.json()) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, json };
  };

  const bodies: ReadonlyArray<readonly [string, string | Buffer, string]> = [
    ['no JSON', '{"name":', 'must be valid JSON'],
    ['more than one JSON', '{"name":"a"}{}', 'must be valid JSON'],
    ['a comment', '{"name":"a"} // b', 'must be valid JSON'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'must be valid UTF-8'],
    ['half a surrogate pair as bytes', Buffer.from('eda080', 'hex'), 'must be valid UTF-8'],
    ['a list', '[]', 'expected an object'],
    ['a list of 101 levels', '['.repeat(101), 'must not be nested deeper than 100 levels'],
    [
      'an object of 101 levels',
      `${'{"a":'.repeat(100)}[]${'}'.repeat(100)}`,
      'must not be nested deeper than 100 levels',
    ],
    ['a text', '"name"', 'expected an object'],
    ['null', 'null', 'expected an object'],
  ];
  for (const [what, body, message] of bodies)
    it(`refuses ${what}`, async () => {
      const { status, json } = await post(body);
      expect([status, json['errors']]).to.deep.equal([400, [{ path: '', message }]]);
    });

  it('takes 100 levels, and brackets within texts', async () => {
    const deep = `{"name":"${'['.repeat(200)}\\"${'{'.repeat(40)}","other":${'['.repeat(99)}${']'.repeat(99)}}`;
    expect((await post(deep)).json['name']).to.equal(`${'['.repeat(200)}"${'{'.repeat(40)}`);
  });

  it('takes the last of duplicate keys, and a byte order mark', async () => {
    expect((await post('\ufeff{"name":"a","name":"b"}')).json['name']).to.equal('b');
  });

  it('takes no harm from keys that objects have by nature', async () => {
    const { status, json } = await post('{"__proto__":{"name":"x"},"constructor":{"prototype":1},"name":"a"}');
    expect([status, json['name']]).to.deep.equal([200, 'a']);
    expect((await post('{"__proto__":{"name":"x"}}')).status).to.equal(400);
    expect(({} as { name?: unknown }).name).to.equal(undefined);
  });

  it('keeps all other Unicode as it came', async () => {
    const name = '\u200d👩‍👩‍👧 e\u0301 \u202e \uffff';
    expect((await post(JSON.stringify({ name }))).json['name']).to.equal(name);
  });

  const types: ReadonlyArray<readonly [string, number]> = [
    ['application/json; charset=utf-8', 200],
    ['Application/JSON;charset="UTF-8"', 200],
    ['application/json; charset=iso-8859-1', 415],
    ['application/json; charset=utf-16', 415],
    ['application/json; charset = "utf-16"', 415],
    ['application/json; charset = utf-8;', 200],
    ['application/json; charset="utf-8', 415],
    ['application/json; version=1', 200],
    ['application/jsonp', 415],
    ['text/json', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['nonsense', 415],
  ];
  for (const [type, expected] of types)
    it(`answers a body of type ${type} by ${expected}`, async () => {
      const { status, headers } = await post('{"name":"a"}', { 'content-type': type });
      const told = [headers.get('accept'), headers.get('accept-encoding')];
      expect([status, ...told]).to.deep.equal([expected, expected === 415 ? 'application/json' : null, null]);
    });

  it('refuses a part of a body', async () => {
    const { status, json } = await post('{"name":"a"}', { 'content-range': 'bytes 0-11/24' });
    expect([status, json['errors']]).to.deep.equal([
      400,
      [{ path: 'Content-Range', message: 'must not be sent: a body is never a part of what it replaces' }],
    ]);
  });

  it('refuses a body that its header declares to be encoded', async () => {
    const { status, json } = await post('{"name":"a"}', { 'content-transfer-encoding': 'base64' });
    expect([status, json['errors']]).to.deep.equal([
      400,
      [{ path: 'Content-Transfer-Encoding', message: 'must be left out, since a body is sent as it is' }],
    ]);
    expect((await post('{"name":"a"}', { 'content-transfer-encoding': 'Binary' })).status).to.equal(200);
  });

  const BODY = '{"name":"größe"}';
  const hash = (algorithm: string, body = BODY): string => createHash(algorithm).update(body).digest('base64');
  const NOT_CHECKED = 'must have a digest that can be read and checked';
  const WRONG = 'is not the digest of the body';

  for (const [name, value] of [
    ['Content-Digest', `sha-256=:${hash('sha256')}:`],
    ['Content-Digest', `crc32c=:AAAA:, sha-512=:${hash('sha512')}:;a=1 , ,sha-256=:${hash('sha256')}:`],
    ['Repr-Digest', `sha-512=:${hash('sha512')}:`],
    ['Digest', `SHA-256=${hash('sha256')},unixsum=30637`],
    ['Content-MD5', hash('md5')],
  ] as const)
    it(`takes a body that fits ${name}: ${value.slice(0, 30)}`, async () => {
      expect((await post(BODY, { [name]: value })).status).to.equal(200);
    });

  for (const [name, value, message] of [
    ['Content-Digest', `sha-256=:${hash('sha256', 'b')}:`, WRONG],
    ['Content-Digest', `sha-256=:${hash('sha256')}:, sha-512=:${hash('sha512', 'b')}:`, WRONG],
    ['Content-Digest', `sha-256=:${hash('sha512')}:, md5=::`, WRONG],
    ['Content-Digest', 'sha-256=::', WRONG],
    ['Repr-Digest', `sha-256=:${hash('sha256', 'b')}:`, WRONG],
    ['Digest', `sha-256=${hash('sha256', 'b')}`, WRONG],
    ['Content-MD5', hash('md5', 'b'), WRONG],
    ['Content-Digest', '', NOT_CHECKED],
    ['Content-Digest', `sha-256=${hash('sha256')}`, NOT_CHECKED],
    ['Content-Digest', `crc32c=:AAAA:`, NOT_CHECKED],
    ['Content-Digest', `sha-256=:${hash('sha256')}:, what`, NOT_CHECKED],
    ['Digest', 'unixsum=30637', NOT_CHECKED],
    ['Content-MD5', hash('sha256'), NOT_CHECKED],
    ['Trailer', 'Content-Digest', 'must not announce a digest: send it before the body'],
  ] as const)
    it(`refuses a body with ${name}: ${value.slice(0, 30)}`, async () => {
      const { status, json } = await post(BODY, { [name]: value });
      expect([status, json['errors']]).to.deep.equal([400, [{ path: name, message }]]);
    });

  it('holds a body of no byte against its digest, also where a body may be left out', async () => {
    const headers = { 'content-digest': `sha-256=:${hash('sha256')}:` };
    expect((await post('', headers)).json['errors']).to.deep.equal([{ path: 'Content-Digest', message: WRONG }]);
    const id = idOf(await call('POST', '/business', { as, body: { name: 'a' } }));
    const reply = await call('DELETE', `/business/${id}/owner?ownerId=bob`, { as, headers });
    expect(reply.status).to.equal(400);
  });

  it('refuses a compressed body', async () => {
    const reply = await post(gzipSync('{"name":"a"}'), { 'content-encoding': 'gzip' });
    expect([reply.status, reply.json['name']]).to.deep.equal([415, 'Unsupported Media Type']);
    expect((await post('{"name":"a"}', { 'content-encoding': 'identity' })).status).to.equal(200);
  });

  it('takes 256 KiB and not a byte more', async () => {
    const padded = (bytes: number): string => `{"name":"a"}${' '.repeat(bytes - 12)}`;
    expect((await post(padded(256 * 1024))).status).to.equal(200);
    expect(errorIn((await post(padded(256 * 1024 + 1))).json)).to.deep.equal({
      ...{ name: 'Payload Too Large', message: 'The limit is 262144 bytes', status: 413 },
      code: 'payload_too_large',
    });
  });

  it('refuses deeply nested JSON in good time', async () => {
    const depth = 100_000;
    expect((await post(`{"name":${'['.repeat(depth)}${']'.repeat(depth)}}`)).status).to.equal(400);
  });

  const head = (method: string, path: string, ...headers: ReadonlyArray<string>): string =>
    [`${method} /api/v1${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${as}`, ...headers, '', ''].join('\r\n');

  it('cuts off a body that grows beyond the limit, and still gets its answer through', async () => {
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const request = head('POST', '/business', 'Content-Type: application/json', 'Transfer-Encoding: chunked');
    const answer = await rawExchange(stack.baseUrl, request, ...Array<string>(64).fill(chunk));
    expect(answer).to.match(/^HTTP\/1\.1 413 /);
    expect(answer).to.contain('Connection: close').and.to.contain('"status":413');
  });

  it('takes the rest of a body whose headers are at fault, lest the answer be lost to who still sends', async () => {
    const { hostname, port } = new URL(stack.baseUrl);
    const faults = ['Host: a\r\nHost: b', 'Host: a\r\nAuthorization: b\r\nAuthorization: c', 'X: without a host'];
    for (const headers of faults)
      for (const length of [1_000, 1_600_000]) {
        const socket = connect(Number(port), hostname);
        socket.write(`POST /api/v1/business HTTP/1.1\r\n${headers}\r\nContent-Length: ${length}\r\n\r\n`);
        const [answer] = (await once(socket, 'data')) as [Buffer];
        expect(answer.toString()).to.match(/^HTTP\/1\.1 400 .*\}$/s);
        socket.end('x'.repeat(length));
        // rejects where the connection is reset
        await once(socket, 'close');
      }
  });

  it('refuses an announced length without waiting for the body', async () => {
    const request = head('POST', '/business', 'Content-Type: application/json', 'Content-Length: 1000000000');
    expect(await rawExchange(stack.baseUrl, request)).to.match(/^HTTP\/1\.1 413 /);
  });

  it('lets a client that waits for "100 Continue" send only what is wanted', async () => {
    const waiting = ['Content-Type: application/json', 'Expect: 100-continue', 'Connection: close'];
    const wanted = head('POST', '/business', ...waiting, 'Content-Length: 12');
    expect(await rawExchange(stack.baseUrl, wanted, '{"name":"a"}')).to.match(
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /,
    );
    const refused = head('POST', '/business', ...waiting, 'Content-Length: 300000');
    expect(await rawExchange(stack.baseUrl, refused)).to.match(/^HTTP\/1\.1 413 /);
  });

  it('goes on with the connection after a short body that it did not read', async () => {
    const refused = head('PATCH', '/business', 'Content-Length: 5');
    const next = head('GET', '/business/x', 'Connection: close');
    const answers = await rawExchange(stack.baseUrl, `${refused}12345${next}`);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 405', 'HTTP/1.1 404']);
  });

  const notHttp = [
    ['nonsense', 'nonsense\r\n\r\n', 400],
    ['a TLS hello', '\u0016\u0003\u0001\u0000\u0001', 400],
    ['a line that is no request', 'BREW coffee please / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['a method that nobody knows', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', 501],
    ['a method that begins as a known one', 'GETX /livez HTTP/1.1\r\nHost: x\r\n\r\n', 501],
    ['a method in small letters', 'get /livez HTTP/1.1\r\nHost: x\r\n\r\n', 501],
    ['a space in a header name', 'GET / HTTP/1.1\r\nHo st: x\r\n\r\n', 400],
    [
      'both length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
    ['endless headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['no host', 'GET /livez HTTP/1.1\r\n\r\n', 400],
    ['no host, but a body to wait for', 'POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n', 400],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
  ] as const;
  for (const [what, bytes, status] of notHttp)
    it(`answers ${what} by the error object and ${status}`, async () => {
      const answer = await rawExchange(stack.baseUrl, bytes);
      const [, body = ''] = answer.split('\r\n\r\n');
      expect(answer).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      expect(JSON.parse(body)).to.include({ status });
    });

  for (const [what, bytes] of [...notHttp, ['another version', 'GET / HTTP/1.9\r\n\r\n', 505]] as const)
    it(`answers ${what} with the headers of all other answers`, async () => {
      const other = await fetch(`${stack.baseUrl}/nothing`);
      const always = [...other.headers.keys()].filter((name) => !['connection', 'keep-alive', 'vary'].includes(name));
      expect(always).to.include.members(['content-security-policy', 'x-frame-options', 'cache-control']);
      const [head = ''] = (await rawExchange(stack.baseUrl, bytes)).split('\r\n\r\n');
      const headers = new Headers(
        head
          .split('\r\n')
          .slice(1)
          .map((line): [string, string] => {
            const [name = '', value = ''] = line.split(': ');
            return [name, value];
          }),
      );
      for (const name of always) expect(headers.has(name), name).to.equal(true);
      for (const name of always.filter((each) => !['content-length', 'date', 'x-request-id'].includes(each)))
        expect(headers.get(name), name).to.equal(other.headers.get(name));
    });

  it('answers an unknown method behind another request, and what only looks like one within a body', async () => {
    const first = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
    const statuses = async (bytes: string): Promise<ReadonlyArray<string>> =>
      (await rawExchange(stack.baseUrl, bytes)).match(/(?<=HTTP\/1.1 )\d+/g) ?? [];
    expect(await statuses(`${first}BREW / HTTP/1.1\r\nHost: x\r\n\r\n`)).to.deep.equal(['200', '501']);
    const body = 'BREW / HTTP/1.1\r\n';
    const withBody = `GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    expect(await statuses(`${withBody}nonsense\r\n\r\n`)).to.deep.equal(['200', '400']);
  });

  it('obeys a header behind as many others as there is room for', async () => {
    const id = idOf(await call('POST', '/business', { as, body: { name: 'behind many headers' } }));
    const put = (extra: string): Promise<string> =>
      rawExchange(
        stack.baseUrl,
        `PUT /api/v1/business/${id} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${as}\r\n` +
          `Content-Type: application/json\r\nContent-Length: 13\r\n${'a:\r\n'.repeat(3_000)}${extra}\r\n\r\n{"phone":"1"}`,
      );
    expect(await put('If-Match: "7"')).to.match(/^HTTP\/1.1 412 /);
    expect(await put('Host: y')).to.match(/^HTTP\/1.1 400 /);
    expect(await put('If-Match: "0"')).to.match(/^HTTP\/1.1 200 /);
  });

  it('asks no host of a client that is too old to name one', async () => {
    expect(await rawExchange(stack.baseUrl, 'GET /livez HTTP/1.0\r\n\r\n')).to.match(/^HTTP\/1\.1 200 /);
  });

  it('survives a client that asks for a tunnel and is gone', async () => {
    const { hostname, port } = new URL(stack.baseUrl);
    for (let round = 0; round < 20; round += 1) {
      const socket = connect(Number(port), hostname);
      await new Promise((resolve) => socket.write('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', resolve));
      socket.resetAndDestroy();
    }
    expect((await call('GET', '/business?limit=1', { as })).status).to.equal(200);
  });

  it('survives a client that goes in the middle of its body', async () => {
    const { hostname, port } = new URL(stack.baseUrl);
    const socket = connect(Number(port), hostname);
    const request = head('POST', '/business', 'Content-Type: application/json', 'Content-Length: 100');
    await new Promise((resolve) => socket.write(`${request}{"name"`, resolve));
    socket.destroy();
    const reply = await call('POST', '/business', { as, body: { name: 'next' } });
    expect(idOf(reply)).to.match(/^[0-9a-f-]{36}$/);
  });

  for (const query of [
    'limit=0',
    'limit=1001',
    'limit=x',
    'limit=',
    'limit=1&limit=2',
    'after=nobody',
    'after=00000000-0000-7000-8000-000000000000',
    'after=%00',
    'name=a&name=b',
  ])
    it(`refuses a list by ${query}`, async () => {
      for (const method of ['GET', 'HEAD'])
        expect((await call(method, `/business?${query}`, { as })).status, method).to.equal(400);
    });

  for (const query of ['from=x', 'from=-1', 'limit=0', 'limit=1001', 'order=up', 'proof=maybe', 'from=1&from=2'])
    it(`refuses events by ${query}`, async () => {
      const id = idOf(await call('POST', '/business', { as, body: { name: 'a' } }));
      expect((await call('GET', `/business/${id}/events?${query}`, { as })).status).to.equal(400);
    });

  for (const query of [
    'revision=x',
    'revision=-1',
    'revision=',
    'at=yesterday',
    'at=2026-01-01',
    'revision=0&at=2026-01-01T00:00:00Z',
  ])
    it(`refuses a state of then by ${query}`, async () => {
      const id = idOf(await call('POST', '/business', { as, body: { name: 'a' } }));
      expect((await call('GET', `/business/${id}?${query}`, { as })).status).to.equal(400);
    });
});
