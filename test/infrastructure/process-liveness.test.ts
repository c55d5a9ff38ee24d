import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import {
  formatOwner,
  isAlive,
  makeOwner,
  parseOwner,
  processExists,
} from '../../src/infrastructure/process-liveness.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

describe('whether a process is still there', () => {
  const own = makeOwner(systemRuntime.random, 'service');

  it('is told of one that runs and of one that has ended', () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    expect([processExists(process.pid), processExists(pid)]).to.deep.equal([true, false]);
  });

  it('is told by its start time as well, because another one may have its pid', () => {
    expect(isAlive(own)).to.equal(true);
    expect(isAlive({ ...own, startTime: `${own.startTime}1` })).to.equal(false);
  });

  it('is asked of whoever a text names, and of nobody by another text', () => {
    expect(parseOwner(formatOwner(own))).to.deep.equal(own);
    for (const text of ['', 'service', 'service:7', 'service:7:1', `somebody:7:1:launch`])
      expect(parseOwner(text), text).to.equal(undefined);
  });
});
