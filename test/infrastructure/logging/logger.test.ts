import { expect } from 'chai';
import { makeLogger } from '../../../src/infrastructure/logging/logger.js';

describe('the log', () => {
  it('shows no token or password that got into a line, or into the headers in one', () => {
    const lines: Array<string> = [];
    const log = makeLogger('info', false, { write: (line) => void lines.push(line) });
    const secrets = { authorization: 'Bearer secret', cookie: 'secret' };
    log.info({ ...secrets, password: 'secret', headers: { ...secrets, accept: 'shown' } }, 'careless');
    expect(lines.join('')).to.include('careless').and.to.include('shown').and.not.to.include('secret');
  });
});
