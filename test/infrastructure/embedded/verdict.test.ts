import { expect } from 'chai';
import type { Occupant } from '../../../src/infrastructure/embedded/server/occupant.js';
import type { ClaimKind, Owner } from '../../../src/infrastructure/embedded/process-liveness.js';
import { verdict } from '../../../src/infrastructure/embedded/server/verdict.js';

const owner = (claim: ClaimKind, mark = 'somebody'): Owner => ({ claim, pid: 7, born: '1', mark });
const us = (claim: ClaimKind): Owner => owner(claim, 'us');
const serving = (over: Partial<Extract<Occupant, { _tag: 'Serving' }>>): Occupant => ({
  _tag: 'Serving',
  pid: 8,
  port: 9,
  owner: owner('service'),
  ownerLives: true,
  ...over,
});

const table: ReadonlyArray<readonly [string, Occupant, string, string]> = [
  ['nobody', { _tag: 'Nobody' }, 'start', 'start'],
  ['a server on its way up', { _tag: 'Changing', pid: 8, doing: 'starting' }, 'wait', 'wait'],
  ['a server on its way down', { _tag: 'Changing', pid: 8, doing: 'stopping' }, 'wait', 'wait'],
  ["a service's server", serving({}), 'refuse', 'join'],
  ["an operator's server", serving({ owner: owner('operator') }), 'wait', 'join'],
  ["a dead service's server", serving({ ownerLives: false }), 'replace', 'replace'],
  ["a dead operator's server", serving({ owner: owner('operator'), ownerLives: false }), 'replace', 'replace'],
  ['a server of our own that we lost', serving({ owner: us('service') }), 'replace', 'replace'],
  ['a server that was started by hand', serving({ owner: undefined, ownerLives: false }), 'refuse', 'join'],
];

describe('what a launcher does about the server it finds', () => {
  for (const [found, occupant, service, operator] of table)
    it(`${found}: a service will ${service}, an operator's command will ${operator}`, () => {
      expect([verdict(us('service'), occupant), verdict(us('operator'), occupant)]).to.deep.equal([service, operator]);
    });
});
