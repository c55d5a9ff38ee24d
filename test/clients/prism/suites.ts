import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { httpContract } from '../../http/contract/http.contract.js';
import { startMemoryStack } from '../../support/memory-stack.js';
import type { Stack } from '../../support/running-stack.js';
import { writtenTo } from '../../support/written.js';
import { type Front, startFront } from './front.js';

const PRISM = path.resolve('test/clients/node_modules/.bin/prism');

const LISTENING = /Prism is listening on (http:\S+)/;

/** Of the 268 tests, so many requests at least have to go through Prism. */
const REQUESTS = 900;

let front: Front;

const startPrism = async (description: string, service: string) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'prism-'));
  const file = path.join(folder, 'openapi.json');
  await writeFile(file, description);
  const child = spawn(PRISM, ['proxy', file, service, '--port', '0', '--cors', 'false'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const { until } = writtenTo(child.stdout, child.stderr);
  const [, address = ''] = LISTENING.exec(await until((text) => LISTENING.test(text))) ?? [];
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
    await rm(folder, { recursive: true });
  };
  return { address, stop };
};

const startBehindPrism = async (): Promise<Stack> => {
  const stack = await startMemoryStack();
  const description = await (await fetch(`${stack.baseUrl}/openapi.json`)).text();
  const prism = await startPrism(description, stack.baseUrl);
  front = await startFront(prism.address, stack.baseUrl);
  const stop = async (): Promise<void> => {
    await front.close();
    await prism.stop();
    await stack.stop();
  };
  return { ...stack, baseUrl: front.address, stop };
};

httpContract('through Prism', startBehindPrism);

describe('Prism', () => {
  it('finds no answer that is not as it is described', () => {
    expect(front.violations()).to.deep.equal([]);
    expect(front.carried()).to.be.at.least(REQUESTS);
  });
});
