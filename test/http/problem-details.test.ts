import { expect } from 'chai';
import { errorCodes } from '../../src/http/problem/error-codes.js';
import { wantsProblemDetails } from '../../src/http/problem/problem-details.js';
import { callerOf } from '../support/client.js';
import { rawExchange } from '../support/raw-exchange.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';

const TYPE = 'application/problem+json';

describe('whether problem details are wanted', () => {
  const wanted: ReadonlyArray<readonly [string | undefined, boolean]> = [
    [undefined, false],
    ['*/*', false],
    ['application/json', false],
    ['application/*', false],
    [TYPE, true],
    ['Application/Problem+JSON', true],
    [`application/json, ${TYPE}`, true],
    [`${TYPE};q=0.5, */*;q=0.1`, true],
    [`application/json;q=0.4, ${TYPE} ; q=0.5`, true],
    [`application/json, ${TYPE};q=0.9`, false],
    [`${TYPE};q=0`, false],
    [`${TYPE};q=0.000`, false],
    [`${TYPE};q=x`, false],
    [`text/html, ${TYPE}+x`, false],
    [`x${TYPE}`, false],
  ];
  for (const [accept, expected] of wanted)
    it(`is ${expected} by ${String(accept)}`, () => {
      expect(wantsProblemDetails(accept)).to.equal(expected);
    });
});

describe('problem details over HTTP', () => {
  let stack: MemoryStack;
  let as: string;
  const call = callerOf(() => stack);
  before(async () => {
    stack = await startMemoryStack({ corsOrigins: ['https://app.example'] });
    as = stack.tokenFor('viewer');
  });
  after(() => stack.stop());

  const headers = { accept: `application/json, ${TYPE}`, 'x-request-id': 'r-1' };

  it('have the keys of the contract, and those of the standard', async () => {
    const reply = await call('GET', '/business?limit=x', { as, headers });
    expect([reply.status, reply.headers.get('content-type'), reply.headers.get('vary')]).to.deep.equal([
      400,
      TYPE,
      'Origin, Accept',
    ]);
    expect(reply.json).to.deep.equal({
      type: '/docs#validation_failed',
      title: errorCodes.validation_failed,
      status: 400,
      detail: 'The request is not valid',
      instance: '#r-1',
      name: 'Validation Error',
      message: 'The request is not valid',
      code: 'validation_failed',
      requestId: 'r-1',
      errors: [{ path: 'limit', message: 'expected a whole number from 1 to 1000, once' }],
    });
  });

  it('keep the headers of a failure, and come to a request without a route', async () => {
    const role = await call('POST', '/business', { as, headers, body: { name: 'a' } });
    expect([role.headers.get('content-type'), role.headers.get('www-authenticate')]).to.deep.equal([
      TYPE,
      'Bearer error="insufficient_scope"',
    ]);
    expect(role.json).to.include({ type: '/docs#role_missing', code: 'role_missing' });
    const nothing = await fetch(`${stack.baseUrl}/nothing`, { headers });
    expect(nothing.headers.get('content-type')).to.equal(TYPE);
    expect(await nothing.json()).to.include({ code: 'no_such_route', status: 404 });
  });

  it('are not sent with a success, nor without being asked for', async () => {
    const success = await call('GET', '/business', { as, headers });
    expect(success.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    const plain = await call('GET', '/nothing', { as });
    expect([plain.headers.get('content-type'), plain.headers.get('vary')]).to.deep.equal([
      'application/json; charset=utf-8',
      'Origin, Accept',
    ]);
    expect(success.headers.get('vary')).to.equal('Origin');
    expect(plain.json).to.not.have.any.keys('type', 'title', 'detail', 'instance');
  });

  it('tell of a request that violates HTTP, where its headers could be read', async () => {
    const answer = await rawExchange(stack.baseUrl, `GET / HTTP/1.1\r\nAccept: ${TYPE}\r\nX-Request-Id: r-2\r\n\r\n`);
    expect(answer).to.match(/^HTTP\/1\.1 400 /);
    expect(answer).to.include(`Content-Type: ${TYPE}\r\n`).and.to.include('Vary: Accept\r\n');
    const plain = await rawExchange(stack.baseUrl, 'GET / HTTP/1.1\r\n\r\n');
    expect(plain).to.include('Content-Type: application/json').and.to.include('Vary: Accept\r\n');
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).to.include({ type: '/docs#host_invalid', instance: '#r-2' });
  });

  it('have a type that leads to an explanation', async () => {
    const page = await (await fetch(`${stack.baseUrl}/docs`)).text();
    for (const [code, meaning] of Object.entries(errorCodes))
      expect(page).to.include(`<dt id="${code}">${code}</dt><dd>${meaning}</dd>`);
  });
});
