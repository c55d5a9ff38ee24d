import { expect } from 'chai';
import pg from 'pg';
import type { EmbeddedPostgres } from '../../src/infrastructure/embedded/embedded-postgres.js';
import { needs } from '../support/needs.js';
import { mountSmallDisk, MOUNTING, type SmallDisk } from '../support/small-disk.js';
import {
  runningService,
  serverPid,
  SEVERAL_STARTS_MS,
  stopLeftovers,
} from '../infrastructure/embedded/support/launching.js';

/** MiB; a segment has 16. */
const MORE_THAN_A_SEGMENT = 20;

describe('an embedded Postgres on a full disk', function () {
  this.timeout(SEVERAL_STARTS_MS);
  let disk: SmallDisk | undefined;
  let service: EmbeddedPostgres | undefined;
  let client: pg.Client;

  beforeEach(async function () {
    disk = mountSmallDisk(200);
    needs(this, disk !== undefined, MOUNTING);
    service = await runningService(disk!.directory);
    client = new pg.Client({ connectionString: service.connectionString });
    client.on('error', () => undefined);
    await client.connect();
  });

  afterEach(async () => {
    await client.end();
    await stopLeftovers();
    disk?.unmount();
  });

  const segments = async (): Promise<number> =>
    (await client.query(`select from pg_ls_waldir() where name ~ '^[0-9A-F]{24}$'`)).rowCount ?? 0;

  it('goes on in the segment that was made in advance, from one checkpoint to the next', async () => {
    expect(await segments()).to.equal(2);
    const pid = serverPid(disk!.directory);
    await disk!.fill();
    for (const _ of [1, 2, 3]) {
      for (let written = 0; written < MORE_THAN_A_SEGMENT; written += 1)
        await client.query(`select pg_logical_emit_message(false, 'test', repeat('x', 1048576))`);
      await client.query('checkpoint');
    }
    expect(await segments()).to.equal(2);
    expect((await client.query<{ one: number }>('select 1 as one')).rows).to.deep.equal([{ one: 1 }]);
    expect(serverPid(disk!.directory)).to.equal(pid);
  });

  it('makes that segment once', async () => {
    await client.end();
    await service!.stop();
    service = await runningService(disk!.directory);
    client = new pg.Client({ connectionString: service.connectionString });
    await client.connect();
    expect(await segments()).to.equal(2);
  });
});
