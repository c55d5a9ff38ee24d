import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { makeLogger } from '../../../src/infrastructure/logging/logger.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

describe('the log', () => {
  it('shows no token or password that got into a line, or into the headers in one', () => {
    const lines: Array<string> = [];
    const log = makeLogger(systemRuntime.clock, 'info', false, { write: (line) => void lines.push(line) });
    const secrets = { authorization: 'Bearer secret', cookie: 'secret' };
    log.info({ ...secrets, password: 'secret', headers: { ...secrets, accept: 'shown' } }, 'careless');
    expect(lines.join('')).to.include('careless').and.to.include('shown').and.not.to.include('secret');
  });

  const onTerminal = (fields: object, message: string): string => {
    const written: Array<string> = [];
    const destination = new Writable({ write: (chunk, _, done) => done(void written.push(String(chunk))) });
    makeLogger(systemRuntime.clock, 'info', true, destination).info(fields, message);
    return stripVTControlCharacters(written.join('')).replace(/^\[[\d:]+\] /, '');
  };

  it('shows a request in one line on a terminal', () => {
    const request = { requestId: 'r-1', method: 'GET', route: '/api/v1/business/:id', operation: 'getBusiness' };
    expect(
      onTerminal(
        { ...request, record: 'b-1', status: 200, seconds: 0.01234, client: '::1', actor: 'alice' },
        'request',
      ),
    ).to.equal('INFO: GET /api/v1/business/:id of b-1 200 by alice in 12.3 ms (r-1)\n');
    expect(
      onTerminal({ ...request, route: undefined, status: 404, seconds: 2, failure: { kind: 'NotFound' } }, 'request'),
    ).to.equal('INFO: GET without a route 404 in 2000.0 ms (r-1)\n    failure: {\n      "kind": "NotFound"\n    }\n');
  });

  it('shows everything else with all its fields', () => {
    expect(onTerminal({ address: 'http://127.0.0.1:3000' }, 'listening')).to.equal(
      'INFO: listening\n    address: "http://127.0.0.1:3000"\n',
    );
  });
});
