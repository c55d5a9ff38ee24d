import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { type Api, makeApi } from '../support/api.js';
import { untilCaughtUp } from '../support/readiness.js';
import { startService, tokenFor } from '../support/service-process.js';

type Named = { readonly _id: string; readonly name: string };

/** Creates businesses one after another until the service is gone. */
const createUntilGone = async (api: Api, writer: number, onAcknowledged: (name: string) => void): Promise<void> => {
  try {
    for (let count = 0; ; count++) {
      const response = await api.send('POST', '/business', { name: `writer ${writer} business ${count}` });
      const { name } = (await response.json()) as Named; // reason: POST answers a business, or an error
      // a service that is late for once says so, and is not gone
      if (response.status === 200) onAcknowledged(name);
    }
  } catch {
    // it is gone
  }
};

describe('durability', function () {
  this.timeout(300_000);
  let dataDir: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'durability-'));
  });

  afterEach(() => rm(dataDir, { recursive: true }));

  it('keeps every acknowledged write exactly once through kill -9 in the middle of writes', async () => {
    const token = await tokenFor('admin', 'alice');
    const acknowledged: Array<string> = [];
    for (const round of [0, 1, 2]) {
      const service = await startService({ dataDir });
      const api = makeApi(service.address, token);
      const enough = acknowledged.length + 40;
      const onAcknowledged = (name: string): void => {
        acknowledged.push(name);
        if (acknowledged.length === enough) service.kill('SIGKILL');
      };
      const writers = Array.from({ length: 8 }, (_, writer) =>
        createUntilGone(api, round * 8 + writer, onAcknowledged),
      );
      await service.exited;
      await Promise.all(writers);
    }

    const service = await startService({ dataDir });
    const api = makeApi(service.address, token);
    const lost = (stored: ReadonlyArray<string>): ReadonlyArray<string> =>
      acknowledged.filter((name) => !stored.includes(name));
    // the rows of the last writes may be written a moment after the start
    await untilCaughtUp(service, 'businesses');
    const stored = (await api.json<ReadonlyArray<Named>>('GET', '/business')).map(({ name }) => name);
    service.kill('SIGTERM');
    await service.exited;

    expect(acknowledged.length).to.be.greaterThan(100);
    expect(lost(stored)).to.deep.equal([]);
    expect(new Set(stored).size).to.equal(stored.length);
  });
});
