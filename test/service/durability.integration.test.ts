import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { type Api, makeApi } from '../support/api.js';
import { startService, tokenFor } from '../support/service-process.js';

type Named = { readonly _id: string; readonly name: string };

/** Creates businesses one after another until the service is gone; gives the names that were acknowledged. */
const createUntilGone = async (api: Api, writer: number): Promise<ReadonlyArray<string>> => {
  const acknowledged: Array<string> = [];
  try {
    for (let count = 0; ; count++) {
      const { name } = await api.json<Named>('POST', '/business', { name: `writer ${writer} business ${count}` });
      acknowledged.push(name);
    }
  } catch {
    return acknowledged;
  }
};

describe('durability', function () {
  this.timeout(120_000);
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
      const writers = Array.from({ length: 8 }, (_, writer) => createUntilGone(api, round * 8 + writer));
      const enough = acknowledged.length + 40;
      while ((await api.json<ReadonlyArray<Named>>('GET', '/business')).length < enough);
      service.kill('SIGKILL');
      await service.exited;
      acknowledged.push(...(await Promise.all(writers)).flat());
    }

    const service = await startService({ dataDir });
    const api = makeApi(service.address, token);
    const stored = (await api.json<ReadonlyArray<Named>>('GET', '/business')).map(({ name }) => name);
    service.kill('SIGTERM');
    await service.exited;

    expect(acknowledged.length).to.be.greaterThan(100);
    expect(acknowledged.filter((name) => !stored.includes(name))).to.deep.equal([]);
    expect(new Set(stored).size).to.equal(stored.length);
  });
});
