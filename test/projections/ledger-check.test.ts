import { expect } from 'chai';
import { makeLedgerCheck } from '../../projections/engine/verify/ledger/ledger-check.js';
import type { StoredRow } from '../../projections/engine/storage.js';
import { ledgerOf, registry } from '../../src/entities/registry.js';
import { canonicalJson, type JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { recordErasureDecision } from '../../src/event-sourcing/erasure/erasure-decisions.js';
import { eventHash } from '../../src/event-sourcing/envelope.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import type { LogFault } from '../../src/event-sourcing/whole-log/log-fault.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { appendChained, businessStream, interleaved, makeChains, wholeLog } from '../support/chained-events.js';
import { oneKey } from '../support/event-keys.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { flipBit, right } from '../support/sealed-tree.js';
import { ledgerFrom, sealedLog, sourceOf, storeOf, type Tampered } from '../support/tampered-ledger.js';

const [BUSINESSES, ROUNDS] = [30, 40];
const EVENTS = BUSINESSES * ROUNDS;

describe('comparing the log with ledger and tiles', () => {
  let world: Tampered;

  beforeEach(async () => {
    world = await sealedLog(BUSINESSES, ROUNDS);
  });

  const check = async () => {
    const faults: Array<LogFault> = [];
    const { take, end, counts } = await makeLedgerCheck({
      store: storeOf(world),
      keys: [oneKey],
      ledger: ledgerOf(registry),
      source: sourceOf(world),
      onFault: (fault) => faults.push(fault),
    });
    for (let at = 0; at < world.events.length; at += 100) await take(world.events.slice(at, at + 100));
    await end();
    return { faults, counts: counts() };
  };

  /** Kind, index, stream and revision of each fault. */
  const places = async () =>
    (await check()).faults.map(({ kind, index, stream, revision }) => ({ kind, index, stream, revision }));

  const placeOf = (index: number) => ({
    index,
    stream: businessStream(index % BUSINESSES),
    revision: BigInt(Math.floor(index / BUSINESSES)),
  });

  const changeEvent = (index: number, change: (event: StoredEvent) => StoredEvent): void => {
    world.events[index] = change(world.events[index]!);
  };

  const changeRow = (index: number, change: (row: StoredRow) => StoredRow): void => {
    world.rows[index] = change(world.rows[index]!);
  };

  /** As somebody does it who can write hashes, but not into the ledger. */
  const forged = (event: StoredEvent): StoredEvent => {
    // reason: written by seal
    const { hash: _hash, ...envelope } = JSON.parse(event.metadata) as JsonObject;
    const edited = { ...envelope, actor: 'mallory' };
    return { ...event, metadata: canonicalJson({ ...edited, hash: eventHash(event, edited) }) };
  };

  it('finds nothing where all three are the same', async () => {
    expect(await check()).to.deep.equal({ faults: [], counts: { compared: EVENTS, notYet: 0 } });
  });

  it('tells an event that was written anew in the log from a row that was changed, by the tiles', async () => {
    changeEvent(700, forged);
    changeRow(500, (row) => ({ ...row, leaf: flipBit(row.leaf, 3) }));
    const { faults } = await check();
    expect(faults.map(({ id: _id, ...fault }) => fault)).to.deep.equal([
      {
        kind: 'ledger-changed',
        ...placeOf(500),
        reason: 'the row of the ledger was changed: log and tiles have another hash of this event',
      },
      { kind: 'event-changed', ...placeOf(700), reason: 'the log has another event here than ledger and tiles' },
    ]);
  });

  it('names the columns of a row that was changed while its hash was left, and whether row or event is at fault', async () => {
    changeRow(40, (row) => ({ ...row, texts: { ...row.texts, actor: 'mallory' } }));
    changeRow(41, (row) => ({ ...row, texts: { ...row.texts, latest: '0.000000', is_late: 'true' } }));
    changeEvent(80, (event) => ({ ...event, data: event.data.replace('+1 555', '+1 556') }));
    const { faults } = await check();
    expect(faults.map(({ id: _id, ...fault }) => fault)).to.deep.equal([
      { kind: 'ledger-changed', ...placeOf(40), reason: 'the row of the ledger was changed, in actor' },
      { kind: 'ledger-changed', ...placeOf(41), reason: 'the row of the ledger was changed, in latest, is_late' },
      { kind: 'event-changed', ...placeOf(80), reason: 'the log has another event here than the ledger, in body' },
    ]);
  });

  const erased = (event: StoredEvent): StoredEvent => ({
    ...event,
    data: '{}',
    metadata: event.metadata.replace(/"salt":"[^"]*",/, ''),
  });

  /** Begins to erase the events at two indexes, and records in the stream of the second one that it is erased. */
  const eraseTwo = async (begun: number, recorded: number): Promise<void> => {
    world = await sealedLog(BUSINESSES, ROUNDS, async (store, chains) => {
      const records = [placeOf(begun), placeOf(recorded)].map(({ stream, revision }) => {
        const events: Array<[number, number]> = [[Number(revision), Number(revision)]];
        return { stream, events };
      });
      const event = { type: 'ErasureBegun' as const, data: { records, basis: 'ticket 4711' } };
      right(await recordErasureDecision(systemRuntime, store, { event, actor: 'bob' }, () => false, [oneKey]));
      const { stream } = placeOf(recorded);
      const said = chains(stream, { events: records[1]!.events, basis: 'ticket 4711' }, 'BusinessErased');
      right(await store.append(stream, said.revision - 1n, [said.event]));
    });
  };

  it('says of data that was taken out of the log that the ledger still has it', async () => {
    changeEvent(80, erased);
    const { faults } = await check();
    expect(faults.map(({ id: _id, ...fault }) => fault)).to.deep.equal([
      {
        kind: 'event-changed',
        ...placeOf(80),
        reason:
          'the data of the event was taken out of the log, and the ledger still has it: keep the ledger, it may be the last copy',
      },
    ]);
  });

  it('waits for rows of what is being erased, and finds those of what is said to be', async () => {
    await eraseTwo(80, 81);
    changeEvent(80, erased);
    changeEvent(81, erased);
    const { faults } = await check();
    expect(faults.map(({ id: _id, ...fault }) => fault)).to.deep.equal([
      { kind: 'not-erased', ...placeOf(81), reason: 'the event is erased, and the ledger still has it' },
    ]);
  });

  it('takes rows that were written without the keys, where an erasure names their events and these can still be read', async () => {
    await eraseTwo(80, 81);
    const { rows } = ledgerFrom(world.events.map(erased));
    for (const index of [80, 81]) changeRow(index, () => rows[index]!);
    expect((await check()).faults).to.deep.equal([]);
    changeRow(80, (row) => ({ ...row, texts: { ...row.texts, actor: 'mallory' } }));
    changeRow(82, () => rows[82]!);
    const { faults } = await check();
    expect(faults.map(({ id: _id, ...fault }) => fault)).to.deep.equal([
      {
        kind: 'ledger-changed',
        ...placeOf(80),
        reason: 'the row of the ledger was changed, in actor, fields, body',
      },
      { kind: 'ledger-changed', ...placeOf(82), reason: 'the row of the ledger was changed, in fields, body' },
    ]);
  });

  it('names an event that was removed once, and goes on behind it', async () => {
    world.events.splice(100, 1);
    changeEvent(900, forged);
    expect(await places()).to.deep.equal([
      { kind: 'event-removed', ...placeOf(100) },
      { kind: 'event-changed', ...placeOf(901) },
    ]);
  });

  it('names all events of a stream that was removed, and no others', async () => {
    world.events = world.events.filter(({ stream }) => stream !== businessStream(7));
    const found = await places();
    expect(found).to.deep.equal(
      Array.from({ length: ROUNDS }, (_, round) => ({ kind: 'event-removed', ...placeOf(round * BUSINESSES + 7) })),
    );
  });

  it('names the events of a large part that was removed, and goes on behind it', async () => {
    world.events.splice(100, 500);
    changeEvent(150, forged);
    const found = await places();
    expect(found).to.have.length(501);
    expect(found[0]).to.deep.equal({ kind: 'event-removed', ...placeOf(100) });
    expect(found[500]).to.deep.equal({ kind: 'event-changed', ...placeOf(650) });
  });

  it('names events that were inserted once, and goes on behind them', async () => {
    const other = makeInMemoryEventStore();
    await appendChained(other, makeChains(), ...interleaved(1, 3));
    const inserted = (await wholeLog(other)).map((event) => ({
      ...event,
      stream: businessStream(1_000),
      position: world.events[299]!.position,
    }));
    world.events.splice(300, 0, ...inserted);
    changeEvent(1_000, forged);
    expect(await places()).to.deep.equal([
      { kind: 'event-inserted', index: 300, stream: businessStream(1_000), revision: 0n },
      { kind: 'event-inserted', index: 300, stream: businessStream(1_000), revision: 1n },
      { kind: 'event-inserted', index: 300, stream: businessStream(1_000), revision: 2n },
      { kind: 'event-changed', ...placeOf(997) },
    ]);
  });

  it('names two events that were swapped', async () => {
    const [one, other] = [world.events[10]!, world.events[11]!];
    world.events.splice(10, 2, other, one);
    expect(await places()).to.deep.equal([{ kind: 'event-moved', ...placeOf(10) }]);
  });

  it('names an event that was moved far away', async () => {
    const [moved] = world.events.splice(1_000, 1);
    world.events.splice(20, 0, moved!);
    const found = await places();
    expect(found).to.deep.equal([{ kind: 'event-moved', ...placeOf(1_000), index: 20 }]);
  });

  it('says that the log ends too early, for each event that the ledger still has', async () => {
    world.events.splice(EVENTS - 3);
    expect(await places()).to.deep.equal([
      { kind: 'end-cut', ...placeOf(EVENTS - 3) },
      { kind: 'end-cut', ...placeOf(EVENTS - 2) },
      { kind: 'end-cut', ...placeOf(EVENTS - 1) },
    ]);
  });

  it('names rows that were removed from the ledger, and rows that were added to it', async () => {
    world.rows.splice(50, 2);
    const last = world.rows.at(-1)!;
    world.rows.push({
      ...last,
      index: BigInt(EVENTS),
      texts: { ...last.texts, entity: businessStream(99).slice('business-'.length), revision: '0' },
    });
    world.tiles.clear();
    const { faults } = await check();
    expect(faults.filter(({ kind }) => kind !== 'tile-missing').map(({ kind, index }) => [kind, index])).to.deep.equal([
      ['ledger-missing', 50],
      ['ledger-missing', 51],
      ['end-cut', EVENTS],
    ]);
  });

  it('names a row that was added at an index far behind the others, and reads no tile of those between', async () => {
    const last = world.rows.at(-1)!;
    for (const index of [10n ** 15n, 2n ** 63n - 1n]) {
      world.rows[EVENTS] = { ...last, index, texts: { ...last.texts, revision: '77' } };
      const asked: Array<number> = [];
      const faults: Array<LogFault> = [];
      const { readTiles, ...source } = sourceOf(world);
      const { take, end } = await makeLedgerCheck({
        store: storeOf(world),
        keys: [oneKey],
        ledger: ledgerOf(registry),
        source: {
          ...source,
          readTiles: (tiles) => {
            asked.push(...tiles.map((tile) => tile.index));
            return readTiles(tiles);
          },
        },
        onFault: (fault) => faults.push(fault),
      });
      await take(world.events);
      await end();
      expect(asked).to.have.length.below(20);
      expect(faults.map(({ kind, index: at }) => [kind, at])).to.deep.equal([
        ['tile-missing', Math.floor(Number(index / 256n)) * 256],
        ['event-removed', EVENTS],
        ['end-cut', Number(index)],
      ]);
    }
  });

  it('tells by the tiles that a row was added to the ledger, or removed and the gap closed', async () => {
    const { texts } = world.rows[200]!;
    world.rows.splice(200, 1);
    world.rows = world.rows.map((row, at) => ({ ...row, index: BigInt(at) }));
    const found = await places();
    expect(found[0]).to.deep.equal({ kind: 'ledger-missing', ...placeOf(200) });
    expect(texts.revision).to.equal('6');
    const last = world.rows.at(-1)!;
    world = await sealedLog(BUSINESSES, ROUNDS);
    world.rows.push({
      ...last,
      index: BigInt(EVENTS),
      texts: { ...last.texts, revision: '77' },
      leaf: Buffer.alloc(32),
    });
    world.tiles.set('0/4', Buffer.concat([world.tiles.get('0/4')!, Buffer.alloc(32, 1)]));
    expect((await places()).map(({ kind, index }) => [kind, index])).to.deep.equal([['ledger-surplus', EVENTS]]);
  });

  it('says where neither log nor ledger has events that must have been there', async () => {
    world.rows.splice(300, 2);
    world.events.splice(300, 2);
    expect(await places()).to.deep.include({
      kind: 'event-removed',
      index: 300,
      stream: undefined,
      revision: undefined,
    });
  });

  it('names a tile that was changed, of whatever level, and one that is missing', async () => {
    world.tiles.set('0/1', flipBit(world.tiles.get('0/1')!, 8 * 32 * 10 + 1));
    world.tiles.set('1/0', flipBit(world.tiles.get('1/0')!, 8 * 32 * 2));
    world.tiles.set('0/4', world.tiles.get('0/4')!.subarray(0, 64));
    const { faults } = await check();
    expect(faults.map(({ kind, index, reason }) => ({ kind, index, reason }))).to.deep.equal([
      {
        kind: 'tile-changed',
        index: 512,
        reason: 'tile 0 of level 1 was changed: its hash number 2 is not that of tile 2 of level 0',
      },
      { kind: 'tile-changed', index: 266, reason: 'the tile has another hash here than log and ledger' },
      { kind: 'tile-missing', index: 1_024, reason: 'tile 4 of level 0 is missing, or ends too early' },
    ]);
  });

  it('waits for no row of an event that the ledger has not come to', async () => {
    world.rows.splice(1_100);
    world.upTo = world.events[1_099]!.position;
    expect(await check()).to.deep.equal({ faults: [], counts: { compared: 1_100, notYet: 100 } });
    world.upTo = world.events[1_149]!.position;
    const found = await places();
    expect(found).to.have.length(50);
    expect(found[0]).to.deep.equal({ kind: 'ledger-missing', ...placeOf(1_100) });
  });

  it('says nothing of rows that came after it began', async () => {
    const all = [...world.rows];
    const events = world.events.splice(1_100);
    world.rows.splice(1_100);
    world.upTo = world.events.at(-1)!.position;
    const faults: Array<LogFault> = [];
    const { take, end, counts } = await makeLedgerCheck({
      store: storeOf(world),
      keys: [oneKey],
      ledger: ledgerOf(registry),
      source: sourceOf(world),
      onFault: (fault) => faults.push(fault),
    });
    world.rows.push(...all.slice(1_100));
    world.upTo = events.at(-1)!.position;
    await take(world.events);
    await end();
    expect({ faults, counts: counts() }).to.deep.equal({ faults: [], counts: { compared: 1_100, notYet: 0 } });
  });
});
