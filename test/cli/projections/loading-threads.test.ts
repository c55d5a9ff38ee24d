import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import type { Loader } from '../../../projections/engine/storage.js';
import { registry } from '../../../src/entities/registry.js';
import { LoadFailed, loadingThreads } from '../../../src/cli/projections/loading-threads.js';

const WHOLE = { category: 'business', from: null, before: null, number: 1 };
const GENERATION = {
  name: 'businesses_1',
  version: '1',
  role: 'building',
  logIdentity: 'log',
  checkpoint: 'start',
  last: undefined,
} as const;

describe('threads that load rows', () => {
  let close: () => Promise<void>;

  afterEach(() => close());

  const running = (script: string): Loader => {
    const url = new URL(`data:text/javascript,${encodeURIComponent(script)}`);
    const lease = { name: GENERATION.name, holder: 'me', fencing: '1' };
    const options = {
      databaseUrl: 'postgres://nowhere',
      registry,
      projection: 'businesses',
      snapshotKey: undefined,
      keyTree: undefined,
    };
    const threads = loadingThreads(options, url)({ generation: GENERATION, lease });
    ({ close } = threads);
    return threads.loaders[0]!;
  };

  const outcomeOf = (load: Loader): Promise<unknown> =>
    load(WHOLE, 1n, { onEvents: () => undefined, signal: new AbortController().signal }).then(
      () => 'loaded',
      (error: unknown) => error,
    );

  const answering = (then: string): string => `
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (message) => {
      if (message === 'end') { ${then} }
      parentPort.postMessage({ _tag: 'Loaded' });
    });`;

  it('load one chunk after another', async () => {
    const load = running(answering(''));
    expect([await outcomeOf(load), await outcomeOf(load)]).to.deep.equal(['loaded', 'loaded']);
  });

  it('report why one of them failed, at its start and at work', async () => {
    for (const script of [`throw new Error('no room')`, answering('').replace('parentPort.post', 'no.post')]) {
      const failure = await outcomeOf(running(script));
      expect(failure).to.be.instanceOf(LoadFailed);
      expect(String(failure)).to.match(/a thread that loads rows has failed: no (room|is not defined)/);
      await close();
    }
  });

  it('may fail or end between two chunks, which fails the next chunk', async () => {
    for (const [then, message] of [
      [`throw new Error('out of memory');`, /has failed: out of memory/],
      ['process.exit();', /has ended/],
    ] as const) {
      const started = once(process, 'worker') as Promise<[Worker]>; // reason: Node documents the arguments so
      const load = running(answering(then));
      const [thread] = await started;
      const ended = new Promise((resolve) => thread.once('exit', resolve));
      expect(await outcomeOf(load)).to.equal('loaded');
      thread.postMessage('end');
      await ended;
      expect(String(await outcomeOf(load))).to.match(message);
      await close();
    }
  });
});
