import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { Pool } from 'pg';
import { ledgerOf, registry } from '../../../src/entities/registry.js';
import { makeCosigned } from '../../../src/infrastructure/postgres/seal/cosigned.js';
import { makeLockTree } from '../../../src/infrastructure/postgres/seal/lock-tree.js';
import { makeArchiveNotes, makeFindNoted } from '../../../src/infrastructure/postgres/seal/noted-checkpoints.js';
import { makeRecordMissing } from '../../../src/infrastructure/postgres/seal/record-missing.js';
import { migrateSeal } from '../../../src/infrastructure/postgres/seal/schema.js';
import { makeSealedTree } from '../../../src/infrastructure/postgres/seal/sealed-tree-queries.js';
import type { SignedCheckpoint } from '../../../src/read/sealed-tree.js';
import { leafHash } from '../../../src/seal/hash.js';
import { proveInclusion, treeRoot } from '../../../src/seal/proofs.js';
import { verifyInclusion } from '../../../src/seal/verify-proofs.js';
import { appendChained, interleaved, makeChains } from '../../support/chained-events.js';
import { type Engine, makeEngine, orThrow } from '../../support/engine.js';
import { untilShown } from '../../support/until-shown.js';
import { startingPostgres } from '../../support/postgres.js';

const right = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};

describe('the tree in Postgres', function () {
  this.timeout(startingPostgres);
  let engine: Engine;
  let pool: Pool;

  beforeEach(async () => {
    engine = await makeEngine();
    pool = engine.database;
  });

  afterEach(() => engine.close());

  const fill = async (events: number): Promise<void> => {
    await appendChained(engine.store, makeChains(), ...interleaved(1, events));
    const running = engine.serve({ projections: [ledgerOf(registry)] });
    const head = orThrow(await engine.store.head(['business', 'document']));
    expect(await untilShown(running.byName('ledger').progress, head ?? -1n)).to.equal(true);
    await running.stop();
  };

  const checkpoint = (size: number, origin = 'one'): SignedCheckpoint => ({ origin, size, note: `${origin} ${size}` });

  const record = (...checkpoints: ReadonlyArray<SignedCheckpoint>): Promise<unknown> =>
    makeLockTree(
      pool,
      'ledger',
    )(async (tree) => {
      for (const one of checkpoints) await tree.record(one);
    });

  const all = async (): Promise<ReadonlyArray<SignedCheckpoint>> => {
    const found: Array<SignedCheckpoint> = [];
    for await (const one of makeSealedTree(pool, 'ledger').checkpoints()) found.push(one);
    return found;
  };

  const allCosigned = async (): Promise<ReadonlyArray<string>> => {
    const found: Array<string> = [];
    for await (const { note } of makeSealedTree(pool, 'ledger').cosigned()) found.push(note);
    return found;
  };

  /** As the owner of the database does it who wants others to believe that rows are kept. */
  const swallow = async (table: string): Promise<void> => {
    await pool.query(`create function seal.swallow() returns trigger language plpgsql as 'begin return null; end'`);
    await pool.query(`create trigger swallow before insert on ${table} for each row execute function seal.swallow()`);
  };

  it('has no checkpoints before there is a table for them, and no tree before there is a ledger', async () => {
    const tree = makeSealedTree(pool, 'ledger');
    expect([right(await tree.newestCheckpoint()), right(await tree.newestOf('one')), await all()]).to.deep.equal([
      ...[undefined, undefined, []],
    ]);
    const lockTree = makeLockTree(pool, 'ledger');
    expect(await lockTree(() => Promise.resolve('a tree')).catch(String)).to.match(/undefined|does not exist/);
  });

  it('hands out what witnesses have cosigned, unless a later checkpoint has waited for them for a minute', async () => {
    await fill(1);
    const tree = makeSealedTree(pool, 'ledger');
    const handedOut = async () => right(await tree.newestCheckpoint())?.note;
    await record(checkpoint(1), checkpoint(2));
    expect([await handedOut(), right(await tree.cosignedOf('one'))]).to.deep.equal(['one 2', undefined]);
    const { record: recordCosigned } = await makeCosigned(pool, 'ledger');
    await recordCosigned({ ...checkpoint(2), note: 'one 2 cosigned' });
    await record(checkpoint(3));
    expect(await handedOut()).to.equal('one 2 cosigned');
    // those of another origin, or larger than what was signed, do not count
    await recordCosigned({ ...checkpoint(3, 'other'), note: 'another' });
    await recordCosigned({ ...checkpoint(9), note: 'too large' });
    expect(await handedOut()).to.equal('one 2 cosigned');
    const insert =
      'insert into seal.checkpoint (origin, size, note, signed_at) values ($1, $2, $3, now() - $4::interval)';
    await pool.query(insert, ['one', 4, 'one 4', '50 s']);
    expect(await handedOut()).to.equal('one 2 cosigned');
    await pool.query(insert, ['one', 5, 'one 5', '61 s']);
    expect(await handedOut()).to.equal('one 5');
    await recordCosigned({ ...checkpoint(5), note: 'one 5 cosigned' });
    expect([await handedOut(), right(await tree.newestOf('one'))?.note]).to.deep.equal(['one 5 cosigned', 'one 5']);
    await record(checkpoint(5, 'two'));
    expect(await handedOut()).to.equal('two 5');
    const cosigned = ['one 2 cosigned', 'one 5 cosigned', 'too large', 'another'];
    expect(await allCosigned()).to.deep.equal(cosigned);
    const refused = pool.query('delete from seal.cosigned').then(() => 'done', String);
    expect(await refused).to.match(/a checkpoint that was handed out is never changed or removed/);
    // a process of the version before has made the tables
    await pool.query('drop table seal.cosigned');
    expect([await handedOut(), right(await tree.cosignedOf('one'))]).to.deep.equal(['two 5', undefined]);
    expect(await allCosigned()).to.deep.equal([]);
  });

  for (const [table, keep] of [
    ['seal.cosigned', async () => (await makeCosigned(pool, 'ledger')).record(checkpoint(1))],
    ['seal.checkpoint', async () => (await makeRecordMissing(pool))(checkpoint(1))],
    ['seal.archived', () => makeArchiveNotes(pool, ['here']).note(checkpoint(1))],
  ] as const)
    it(`does not believe that ${table} has kept a row which a trigger swallows`, async () => {
      await migrateSeal(pool);
      await swallow(table);
      const failed: unknown = await keep().catch((error: unknown) => error);
      expect(String(failed)).to.match(
        /^Error: Postgres took .* and does not have it: look at the triggers and rules of /,
      );
      expect(String(failed)).to.include(table);
      await pool.query(`drop trigger swallow on ${table}`);
      await keep();
    });

  it('notes where a checkpoint was put, and knows what was put into each of the places that are read', async () => {
    const places = [['old'], ['new', 'old'], ['another']] as const;
    const before = makeArchiveNotes(pool, places[0]);
    const now = makeArchiveNotes(pool, places[1]);
    const another = makeArchiveNotes(pool, places[2]);
    expect(await now.largestOf('one')).to.equal(undefined);
    for (const size of [7, 1, 20_000]) await before.note(checkpoint(size));
    expect(await now.largestOf('one')).to.equal(20_000);
    for (const size of [7, 30_000, 9]) await now.note(checkpoint(size));
    await another.note(checkpoint(8));
    const largest = await Promise.all([before, now, another].map((each) => each.largestOf('one')));
    expect(largest).to.deep.equal([20_000, 30_000, 8]);
    const found = await Promise.all(places.map((each) => makeFindNoted(pool, each)('one')));
    expect(found.map(({ sizes, elsewhere }) => [sizes, elsewhere])).to.deep.equal([
      [[1, 7, 20_000], 4],
      [[1, 7, 9, 20_000, 30_000], 1],
      [[8], 5],
    ]);
  });

  it('gives leaves and tiles from which every event can be proven', async () => {
    await fill(300);
    const tree = makeSealedTree(pool, 'ledger');
    const root = right(await treeRoot(300, tree.readTiles));
    const leaves = [...right(await tree.readLeaves(0, 256)), ...right(await tree.readLeaves(256, 256))];
    expect(leaves.length).to.equal(300);
    for (const index of [0, 255, 256, 299]) {
      const proof = right(await proveInclusion(index, 300, tree.readTiles));
      expect(verifyInclusion(leafHash(leaves[index]!), index, { size: 300, root }, proof)).to.equal(true);
    }
  });

  it('gives the checkpoints page by page, by origin and size, and the newest of them', async () => {
    await fill(1);
    const sizes = Array.from({ length: 2_500 }, (_, number) => number + 1);
    await record(...sizes.map((size) => checkpoint(size)), checkpoint(7, 'two'), checkpoint(3, 'two'));
    const [first, rest] = [(await all()).slice(0, 2_500), (await all()).slice(2_500)];
    expect(first.map(({ size }) => size)).to.deep.equal(sizes);
    expect(rest).to.deep.equal([checkpoint(3, 'two'), checkpoint(7, 'two')]);
    const tree = makeSealedTree(pool, 'ledger');
    expect(right(await tree.newestCheckpoint())).to.deep.equal(checkpoint(3, 'two'));
    expect(right(await tree.newestOf('two'))).to.deep.equal(checkpoint(7, 'two'));
    expect(right(await tree.newestOf('one'))).to.deep.equal(checkpoint(2_500));
    expect(right(await tree.newestOf('three'))).to.equal(undefined);
  });

  it('is given to one process at a time, with what the one before has recorded', async () => {
    await fill(2);
    const seen: Array<string> = [];
    const sign = (name: string) =>
      makeLockTree(
        pool,
        'ledger',
      )(async (tree) => {
        const largest = await tree.largestOf('one');
        seen.push(`${name} sees ${tree.size} events and ${largest?.size ?? 'nothing'}`);
        if (largest === undefined) await tree.record(checkpoint(tree.size));
      });
    await Promise.all(['a', 'b', 'c', 'd'].map(sign));
    expect(seen.map((text) => text.slice(2)).toSorted()).to.deep.equal([
      'sees 2 events and 2',
      'sees 2 events and 2',
      'sees 2 events and 2',
      'sees 2 events and nothing',
    ]);
    expect(await all()).to.deep.equal([checkpoint(2)]);
  });

  it('is given to nobody while another process has it', async () => {
    await fill(1);
    const lockTree = makeLockTree(pool, 'ledger');
    let [begin, end] = [(): void => undefined, (): void => undefined];
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const held = new Promise<void>((resolve) => (end = resolve));
    const seen: Array<string> = [];
    const first = lockTree(async () => {
      begin();
      await held;
      seen.push('first');
    });
    await begun;
    const since = new Date();
    const second = lockTree(() => Promise.resolve(void seen.push('second')));
    const waits = await Promise.race([engine.blocked(since), second]);
    end();
    await Promise.all([first, second]);
    expect([waits, seen]).to.deep.equal([1, ['first', 'second']]);
  });
});
