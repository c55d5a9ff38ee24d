import { expect } from 'chai';
import type { Owner, ProcessKind } from '../../../src/infrastructure/process-liveness.js';
import type { RunningServer } from '../../../src/infrastructure/embedded/server/running-server.js';
import { takeoverAction } from '../../../src/infrastructure/embedded/server/takeover-policy.js';

const owner = (processKind: ProcessKind, launchId = 'another'): Owner => ({
  processKind,
  pid: 7,
  startTime: '1',
  launchId,
});
const us = (processKind: ProcessKind): Owner => owner(processKind, 'us');
const ready = (over: Partial<Extract<RunningServer, { _tag: 'Ready' }>>): RunningServer => ({
  _tag: 'Ready',
  pid: 8,
  port: 9,
  owner: owner('service'),
  isOwnerAlive: true,
  ...over,
});

const table: ReadonlyArray<readonly [string, RunningServer, string, string]> = [
  ['no server', { _tag: 'None' }, 'start', 'start'],
  ['a server that starts', { _tag: 'StartingOrStopping', pid: 8, status: 'starting' }, 'wait', 'wait'],
  ['a server that stops', { _tag: 'StartingOrStopping', pid: 8, status: 'stopping' }, 'wait', 'wait'],
  ["a service's server", ready({}), 'fail', 'join'],
  ["an operator's server", ready({ owner: owner('operator') }), 'wait', 'join'],
  ["a dead service's server", ready({ isOwnerAlive: false }), 'replace', 'replace'],
  ["a dead operator's server", ready({ owner: owner('operator'), isOwnerAlive: false }), 'replace', 'replace'],
  ['a server of our own that has lost its watchdog', ready({ owner: us('service') }), 'replace', 'replace'],
  ['a server that was started by hand', ready({ owner: undefined, isOwnerAlive: false }), 'fail', 'join'],
];

describe('what a launcher does about the server that it finds', () => {
  for (const [found, running, service, operator] of table)
    it(`${found}: a service: ${service}; an operator's command: ${operator}`, () => {
      const actions = [takeoverAction(us('service'), running), takeoverAction(us('operator'), running)];
      expect(actions).to.deep.equal([service, operator]);
    });
});
