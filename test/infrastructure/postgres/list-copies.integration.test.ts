import type { Readable } from 'node:stream';
import { buffer, json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { makePool } from '../../../projections/engine/pool.js';
import { type CopyList, makeListCopies } from '../../../src/infrastructure/postgres/read-models/list-copies.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';

const LONG = `select '"${'x'.repeat(1_000)}"' from generate_series(1, 20000)`;
const SHORT = `select '1'`;
const COURTESY = 150;

describe('lists that share a few connections', function () {
  this.timeout(startingPostgres);
  let pool: Pool;
  let copyList: CopyList;
  let opened: Array<Readable>;

  before(async () => {
    pool = makePool(await freshDatabase(), { name: 'lists', connections: 2, connectMs: 2_000 });
  });
  beforeEach(() => {
    copyList = makeListCopies(pool, COURTESY);
    opened = [];
  });
  afterEach(() => opened.forEach((body) => body.destroy()));
  after(() => pool.end());

  const unread = async (): Promise<Readable> => {
    const body = await copyList(LONG);
    opened.push(body);
    return body;
  };

  const failureOf = (body: Readable): string => body.errored?.message ?? 'none';

  it('cut off the one whose reader stopped first when another waits, and no more of them', async () => {
    const [first, second] = [await unread(), await unread()];
    await delay(COURTESY);
    expect(await json(await copyList(SHORT))).to.deep.equal([1]);
    expect([failureOf(first), failureOf(second)]).to.deep.equal([
      'list: gave way to another, as its reader took nothing',
      'none',
    ]);
  });

  it('stay as long as nobody waits', async () => {
    const first = await unread();
    await delay(3 * COURTESY);
    expect(await json(await copyList(SHORT))).to.deep.equal([1]);
    expect(failureOf(first)).to.equal('none');
    expect(await buffer(first)).to.have.length.above(20_000_000);
  });

  it('are not cut off while they are read, however slowly', async () => {
    const reading = async (): Promise<number> => {
      let bytes = 0;
      // reason: a Readable of bytes gives Buffers
      for await (const chunk of (await unread()) as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        await delay(5);
      }
      return bytes;
    };
    const [one, other] = [reading(), reading()];
    await delay(COURTESY);
    const third = copyList(SHORT);
    expect(await one).to.be.above(20_000_000);
    expect(await json(await third)).to.deep.equal([1]);
    expect(await other).to.be.above(20_000_000);
  });
});
