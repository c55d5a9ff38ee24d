import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { either as E, option as O } from 'fp-ts';
import { business } from '../../src/entities/business.js';
import { ledgerOf, projectionsOf, registry as unsigned, signingRows } from '../../src/entities/registry.js';
import type { Runtime } from '../../src/event-sourcing/runtime.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { IN_CREATION_ORDER } from '../../src/read/queries.js';
import { leafHash } from '../../src/seal/hash.js';
import { proveInclusion, treeRoot } from '../../src/seal/proofs.js';
import { verifyInclusion } from '../../src/seal/verify-proofs.js';
import { append, created, renamed } from '../projections/appending.js';
import { makeInMemoryEventStore } from './in-memory-event-store.js';
import { type ManualClock, makeManualClock } from './manual-clock.js';
import { startMemoryEngine } from './memory-engine.js';
import { makeMemoryReadModels } from './memory-read-models.js';
import { makeMemorySeal } from './memory-seal.js';
import { makeMemoryStorage, type MemoryStorage } from './memory-storage/memory-storage.js';
import { recordsOf } from './records-of.js';
import { right } from './sealed-tree.js';

const registry = signingRows(unsigned, 'a key');
const ledger = ledgerOf(registry);
const businesses = projectionsOf(registry).find(({ name }) => name === business.projection.name)!;

const list = { order: IN_CREATION_ORDER, limit: 10 };

describe('read models in memory', () => {
  let clock: ManualClock;
  let runtime: Runtime;
  let store: ReturnType<typeof makeInMemoryEventStore>;
  let storage: MemoryStorage;
  let queries: ReturnType<typeof makeMemoryReadModels>;
  let seal: ReturnType<typeof makeMemorySeal>;
  const id = randomUUID();

  beforeEach(() => {
    clock = makeManualClock();
    runtime = { clock, random: systemRuntime.random };
    store = makeInMemoryEventStore();
    storage = makeMemoryStorage({ clock });
    seal = makeMemorySeal(clock, storage);
    queries = makeMemoryReadModels({ storage, seal });
  });

  /** A process writes the rows for a while. */
  const project = async (): Promise<void> => {
    const engine = startMemoryEngine(runtime, { registry, store, storage });
    await clock.advance(5_000);
    const stopped = engine.stop();
    await clock.advance(1_000);
    await stopped;
  };

  const namesIn = async (): Promise<ReadonlyArray<string>> => {
    const page = await queries.of(businesses).page({}, list);
    return recordsOf(right(page)).map((body) => (JSON.parse(body) as { readonly name: string }).name);
  };

  it('are unavailable before there are rows', async () => {
    const { byId, hiddenState, page, all } = queries.of(businesses);
    const rows = queries.ofLedger(ledger);
    const asked = [byId(id), hiddenState(id), page({}, list), all({}, list), rows.rowsAfter(-1n, 1)];
    const found: ReadonlyArray<E.Either<{ readonly _tag: string }, unknown>> = await Promise.all(asked);
    expect(found.map((one) => E.isLeft(one) && one.left._tag)).to.deep.equal(Array(5).fill('ReadModelUnavailable'));
    expect(await queries.findRevision(businesses)(id).catch(String)).to.include('does not exist');
    expect(await queries.findTrustedRow(businesses)(id)).to.equal(undefined);
    expect(await queries.ledgerExtent(ledger)()).to.deep.equal({ upTo: -1n, size: 0 });
    expect(await seal(ledger.name).lockTree(() => Promise.resolve('a tree'))).to.equal(undefined);
  });

  it('show the rows that were written, however far the log is', async () => {
    const { byId } = queries.of(businesses);
    const revision = async (asNoted = false) => O.toUndefined(right(await byId(id, asNoted)))?.revision;
    const events = async () => right(await queries.ofLedger(ledger).rowsAfter(-1n, 10)).rows.length;
    const first = await append(store, `business-${id}`, 0n, created('Acme'));
    await project();
    expect([await revision(), await namesIn(), await events()]).to.deep.equal([0n, ['Acme'], 1]);
    expect((await queries.ledgerExtent(ledger)()).size).to.equal(1);
    expect((await queries.ledgerExtent(ledger)()).upTo >= first).to.equal(true);

    const second = await append(store, `business-${id}`, 1n, renamed('Renamed'));
    expect([await revision(true), await namesIn(), await events()]).to.deep.equal([0n, ['Acme'], 1]);
    await storage.noteAcknowledged('businesses', second);
    expect([await revision(), await queries.findRevision(businesses)(id)]).to.deep.equal([0n, 0n]);
    const noted = await byId(id, true);
    expect(E.isLeft(noted) && noted.left._tag).to.equal('ReadModelUnavailable');

    await project();
    expect([await revision(true), await namesIn(), await events()]).to.deep.equal([1n, ['Renamed'], 2]);
  });

  it('give the row of a parked entity as it is, and say so', async () => {
    const { byId } = queries.of(businesses);
    const revisions = async () => {
      const [found, hidden] = [await byId(id), await queries.of(businesses).hiddenState(id)];
      if (E.isRight(found) || found.left._tag !== 'RowParked') throw new Error('it is not parked');
      expect(E.isLeft(hidden) && hidden.left).to.deep.equal({ _tag: 'RowParked', row: O.none });
      return [O.toUndefined(found.left.row)?.revision, await queries.findRevision(businesses)(id)];
    };
    await append(store, `business-${id}`, 0n, created('Acme'));
    await project();
    // a text that cannot be stored
    await append(store, `business-${id}`, 1n, renamed('Acme\0'));
    await project();
    expect([await revisions(), await namesIn()]).to.deep.equal([[0n, 0n], ['Acme']]);
    await append(store, `business-${id}`, 2n, renamed('Later'));
    await project();
    expect([await revisions(), await namesIn()]).to.deep.equal([[0n, 0n], ['Acme']]);
  });

  it('give rows that were signed with the key of the service, and no others', async () => {
    await append(store, `business-${id}`, 0n, created('Acme'));
    await project();
    const trusted = await queries.findTrustedRow(businesses)(id);
    expect([trusted?.revision, trusted?.body]).to.deep.equal([0n, storage.liveRows('businesses').get(id)!['body']]);
    expect(await queries.findTrustedRow(businesses)(randomUUID())).to.equal(undefined);
    expect(await queries.findTrustedRow(business.projection)(id)).to.equal(undefined);
    const others = projectionsOf(signingRows(unsigned, 'another key'));
    const other = others.find(({ name }) => name === businesses.name)!;
    expect(await queries.findTrustedRow(other)(id)).to.equal(undefined);
  });

  it('give leaves and tiles of the ledger from which every event can be proven', async () => {
    for (let n = 0; n < 300; n += 1) await append(store, `business-${randomUUID()}`, 0n, created(`No ${n}`));
    await project();
    const { readTiles, readLeaves } = queries.sealedTree(ledger);
    const root = right(await treeRoot(300, readTiles));
    const leaves = [...right(await readLeaves(0, 256)), ...right(await readLeaves(256, 256))];
    expect(leaves.length).to.equal(300);
    for (const index of [0, 255, 256, 299]) {
      const proof = right(await proveInclusion(index, 300, readTiles));
      expect(verifyInclusion(leafHash(leaves[index]!), index, { size: 300, root }, proof)).to.equal(true);
    }
  });

  it('have no guard that could be lifted and no backup, and take writes', async () => {
    expect(await queries.liftedGuards()).to.deep.equal([]);
    expect(await queries.lastBackup('log')).to.equal(undefined);
    expect(await queries.ping()).to.deep.equal(E.right('Writes'));
  });
});
