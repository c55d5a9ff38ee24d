import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import pg from 'pg';
import { newCheckpointKey } from '../../src/infrastructure/checkpoint-signer.js';
import { renderSigner } from '../../src/seal/note-key.js';
import { startEmbeddedStack } from '../support/composed-stack.js';
import { tableBelow } from '../support/markdown.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

type Asked = { readonly pools: Map<string, number>; clients: number };

/**
 * What is asked of the driver meanwhile: the size of the largest pool of each name, and the most
 * connections beside pools that are open at once. The log
 * has two further pools, which are not counted: one that is closed after the migration, and one that only a rebuild uses.
 */
const askedBy = async (work: () => Promise<void>): Promise<Asked> => {
  const { Pool, Client } = pg;
  const asked: Asked = { pools: new Map(), clients: 0 };
  let open = 0;
  class CountedPool extends Pool {
    constructor(config: pg.PoolConfig) {
      super(config);
      const name = config.application_name ?? '';
      asked.pools.set(name, Math.max(asked.pools.get(name) ?? 0, config.max ?? 0));
    }
  }
  class CountedClient extends Client {
    constructor(config: pg.ClientConfig) {
      super(config);
      // those of a pool are of a class of their own
      if (new.target !== CountedClient) return;
      open += 1;
      asked.clients = Math.max(asked.clients, open);
      this.once('end', () => (open -= 1));
    }
  }
  Object.assign(pg, { Pool: CountedPool, Client: CountedClient });
  try {
    await work();
  } finally {
    Object.assign(pg, { Pool, Client });
  }
  return asked;
};

describe('the connections of a process to Postgres', function () {
  this.timeout(startingPostgres * 2);

  it('are as many as the table of docs/performance.md says', async () => {
    const made = newCheckpointKey(systemRuntime.random, 'localhost/connections');
    if (E.isLeft(made)) throw new Error(made.left);
    const settings = {
      DATABASE_URL: await freshDatabase(),
      CHECKPOINT_KEY: renderSigner(made.right),
      ERASURE: 'true',
      ERASURE_KEY: 'an erasure key of thirty-two bytes',
    };
    const { pools, clients } = await askedBy(async () => {
      const stack = await startEmbeddedStack(settings);
      try {
        // the connection for appends is opened by the first one
        const created = await fetch(`${stack.baseUrl}/api/v1/business`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${stack.tokenFor('admin')}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ name: 'Acme' }),
        });
        expect(created.status).to.equal(200);
      } finally {
        await stack.stop();
      }
    });
    // two, which are closed before the others are opened
    pools.delete('session-check');
    const most = [...pools.values()].reduce((sum, size) => sum + size, clients);

    const page = await readFile('docs/performance.md', 'utf8');
    const [, ...rows] = tableBelow(page, '## Size a machine');
    expect(rows.reduce((sum, [, connections]) => sum + Number(connections), 0)).to.equal(most);
    expect(page).to.include(`should be ${most} for each process`);
  });
});
