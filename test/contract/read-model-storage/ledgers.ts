import { hash, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { EMPTY } from '../../../projections/engine/ledger/number-rows.js';
import { textsOf } from '../../../projections/engine/verify/ledger/row-texts.js';
import type { LedgerWriter, Step } from '../../../projections/engine/storage.js';
import type { Through } from './entity-rows.js';
import { aLedger, creation, filled, ledgerBatch, rowsFor, tilesOf, whatIsInLedger } from './ledger-under-test.js';
import { aWriter, eventsOf, type PlaceUnderTest, stepTo } from './storage-under-test.js';

export const ledgers = (place: PlaceUnderTest, through: Through): void => {
  const arrange = (over: Parameters<typeof aWriter>[2] = {}) => aWriter(place(), aLedger(), over);
  const write = (writer: LedgerWriter, step: Step, batch: ReturnType<typeof ledgerBatch>) =>
    through(place().one, (rows) => rows.ledgerRows(writer).prepare(batch)(step));

  it('begins at the first index, before all times', async () => {
    const writer = await arrange();
    await through(place().one, async (rows) => {
      const own = rows.ledgerRows(writer);
      expect(await own.end()).to.deep.equal(EMPTY);
      expect(await own.leaves(0n, 10)).to.deep.equal([]);
      expect(await tilesOf(own.readTiles, [0, 0], [1, 7])).to.deep.equal([undefined, undefined]);
      expect(await tilesOf(own.readTiles)).to.deep.equal([]);
    });
    const stored = place().one.storedLedger(writer.projection.name);
    expect(await stored.size()).to.equal(0n);
    expect(await stored.rows(0n, 10)).to.deep.equal([]);
  });

  it('writes rows and tiles with the checkpoint and the last event, and goes on behind them', async () => {
    const writer = await arrange();
    const events = [creation(), creation(), creation()];
    const rows = rowsFor(writer.projection, events);
    const first = ledgerBatch(rows.slice(0, 2));
    const [last] = eventsOf({ id: 'b1' });
    expect(await write(writer, stepTo(5n, 'start', { last }), first)).to.equal('live');
    const hex = rows.map(({ leaf }) => leaf.toString('hex'));
    await through(place().other, async (storage) => {
      const own = storage.ledgerRows(writer);
      expect(await own.end()).to.deep.equal({ size: 2n, latest: rows[1]?.latest });
      expect((await own.leaves(0n, 10)).map(({ index, leaf }) => [index, leaf.toString('hex')])).to.deep.equal([
        [0n, hex[0]],
        [1n, hex[1]],
      ]);
      expect(await tilesOf(own.readTiles, [0, 0])).to.deep.equal([first.tiles[0]?.hashes.toString('hex')]);
    });
    const second = ledgerBatch(rows.slice(2), first.edge);
    expect(await write(writer, stepTo(6n, 5n), second)).to.equal('live');
    const own = place().one.ledgerRows(writer);
    expect(await own.leaves(1n, 1)).to.deep.equal([{ index: 1n, leaf: rows[1]?.leaf }]);
    expect((await own.leaves(1n, 10)).map(({ index }) => index)).to.deep.equal([1n, 2n]);
    expect(await own.leaves(3n, 10)).to.deep.equal([]);
    const places = [
      [0, 1],
      [0, 0],
    ] as const;
    expect(await tilesOf(own.readTiles, ...places)).to.deep.equal([
      undefined,
      ledgerBatch(rows).tiles[0]?.hashes.toString('hex'),
    ]);
    const [live] = await place().other.generations(writer.projection.name);
    const { stream, revision, id } = last!;
    expect(live).to.deep.equal({
      ...writer.generation,
      checkpoint: { commit: 6n, prepare: 6n },
      last: { stream, revision, id },
    });
  });

  it('moves over events that have no row', async () => {
    const writer = await arrange();
    await through(place().one, async (rows) => {
      expect(await rows.ledgerRows(writer).step(stepTo(5n))).to.equal('live');
      expect(await rows.ledgerRows(writer).prepare(ledgerBatch([]))(stepTo(6n, 5n))).to.equal('live');
      expect(await rows.ledgerRows(writer).step(stepTo(7n, 5n))).to.equal(undefined);
    });
    const [live] = await place().one.generations(writer.projection.name);
    expect(live?.checkpoint).to.deep.equal({ commit: 6n, prepare: 6n });
  });

  it('writes tiles over those of the same place, without a step', async () => {
    const writer = await arrange();
    await filled(place(), writer, stepTo(5n), rowsFor(writer.projection, [creation()]));
    const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(64, 2)];
    const own = place().one.ledgerRows(writer);
    await own.writeTiles([
      { level: 0, index: 0, hashes: two },
      { level: 2, index: 300, hashes: one },
    ]);
    const expected = [two.toString('hex'), one.toString('hex'), undefined];
    const places = [
      [0, 0],
      [2, 300],
      [2, 0],
    ] as const;
    expect(await tilesOf(own.readTiles, ...places)).to.deep.equal(expected);
    const live = place().other.storedLedger(writer.projection.name);
    expect(await tilesOf(live.readTiles, ...places)).to.deep.equal(expected);
    const [{ checkpoint } = writer.generation] = await place().one.generations(writer.projection.name);
    expect(checkpoint).to.deep.equal({ commit: 5n, prepare: 5n });
    await own.writeTiles([]);
  });

  it('shows rows as texts, whatever is in them', async () => {
    const writer = await arrange();
    const [plain, ...others] = rowsFor(
      writer.projection,
      Array.from({ length: 7 }, () => creation()),
    );
    const long = 'é'.repeat(300);
    const rows = [
      plain!,
      { ...others[0]!, actor: null, at: null, reason: null, fields: [], refs: [], isLate: true },
      {
        ...others[1]!,
        actor: 'NUL \0',
        entity: 'NUL \0',
        name: '"quoted"',
        body: '{"a":"\0"}',
        refs: ['\0', '"', '\\', '', 'NULL'],
      },
      { ...others[2]!, fields: ['b', 'a', 'c'], refs: [long, '👩'.repeat(256)], reason: 'A reason, in Straße: 12.5' },
      { ...others[3]!, body: `{"a":"${'x'.repeat(20_000)}"}`, at: '0001-01-01T00:00:00.000Z', reason: '' },
      { ...others[4]!, at: '2026-12-31T23:59:59.999Z', latest: '2026-12-31T23:59:59.999Z', reason: '... !' },
      { ...others[5]!, at: '1969-12-31T23:59:58.250Z', fields: Array.from({ length: 80 }, (_, i) => `field${i}`) },
    ];
    expect(await write(writer, stepTo(5n), ledgerBatch(rows))).to.equal('live');
    const stored = await place().other.storedLedger(writer.projection.name).rows(0n, 10);
    expect(stored).to.deep.equal(rows.map((row) => ({ index: row.index, leaf: row.leaf, texts: textsOf(row) })));
    expect(stored[1]?.texts).to.include({ actor: null, at: null, reason_words: null, fields: '[]', is_late: 'true' });
    expect(stored[2]?.texts).to.include({ actor: 'NUL \ufffd', refs: '["\ufffd","\\"","\\\\","","NULL"]' });
    expect(stored[3]?.texts.reason_words).to.equal("'12' '5' 'a' 'in' 'reason' 'strasse'");
    expect(stored[4]?.texts.body).to.equal(`sha256:${hash('sha256', rows[4]!.body, 'hex')}`);
    expect(stored[5]?.texts.at).to.equal('1798761599.999000');
  });

  it('says where the next row goes, behind a gap as well', async () => {
    const writer = await arrange();
    const rows = rowsFor(writer.projection, [creation(), creation(), creation()]);
    const gap = rows.map((row, at) => ({ ...row, index: [0n, 1n, 4n][at]! }));
    await write(writer, stepTo(5n), ledgerBatch(gap));
    expect(await place().one.ledgerRows(writer).end()).to.deep.equal({ size: 5n, latest: rows[2]?.latest });
    const stored = place().one.storedLedger(writer.projection.name);
    expect(await stored.size()).to.equal(5n);
    expect((await stored.rows(1n, 10)).map(({ index }) => index)).to.deep.equal([1n, 4n]);
    expect((await stored.rows(2n, 10)).map(({ index }) => index)).to.deep.equal([4n]);
    expect((await stored.rows(0n, 2)).map(({ index }) => index)).to.deep.equal([0n, 1n]);
    expect(await stored.rows(5n, 10)).to.deep.equal([]);
    expect(await stored.rows(2n ** 63n, 10)).to.deep.equal([]);
    expect((await place().one.ledgerRows(writer).leaves(1n, 10)).map(({ index }) => index)).to.deep.equal([1n, 4n]);
  });

  it('finds the row of an event, from an index on or else before it', async () => {
    const writer = await arrange();
    const [first, second] = [creation(), creation(`document-${randomUUID()}`)];
    const long = creation(`business-${'x'.repeat(300)}`);
    const longer = creation(`business-${'x'.repeat(301)}`);
    const rows = rowsFor(writer.projection, [first, second, first, long, first, longer]);
    await write(writer, stepTo(5n), ledgerBatch(rows));
    const keyOf = ({ category, entity, revision }: (typeof rows)[number]) => ({ category, entity, revision });
    const [key, other, , longKey, , longerKey] = rows.map(keyOf);
    const { placesOf } = place().other.storedLedger(writer.projection.name);
    for (const [from, found] of [
      [0n, 0n],
      [1n, 2n],
      [2n, 2n],
      [3n, 4n],
      [5n, 4n],
      [2n ** 63n, 4n],
    ] as const)
      expect(await placesOf([key!], from)).to.deep.equal([found]);
    const unknown = [
      { ...key!, revision: 1n },
      { ...key!, category: 'document' },
      { ...key!, entity: 'another' },
    ];
    expect(await placesOf([...unknown, longerKey!, longKey!, other!], 0n)).to.deep.equal([
      ...[undefined, undefined, undefined],
      ...[5n, 3n, 1n],
    ]);
    expect(await placesOf([], 0n)).to.deep.equal([]);
  });

  it('reads whichever generation is live', async () => {
    const live = await arrange();
    const building = await aWriter(place(), live.projection, { role: 'building' });
    const [rows, more] = [[creation()], [creation(), creation()]].map((events) => rowsFor(live.projection, events));
    await filled(place(), live, stepTo(5n), rows!);
    await filled(place(), building, stepTo(5n), more!);
    const stored = place().one.storedLedger(live.projection.name);
    const seen = async () => [await stored.size(), await tilesOf(stored.readTiles, [0, 0])];
    expect(await seen()).to.deep.equal([1n, [ledgerBatch(rows!).tiles[0]?.hashes.toString('hex')]]);
    await place().other.change(live.projection, () => ({ makeLive: building.name, drop: [live.name] }));
    expect(await seen()).to.deep.equal([2n, [ledgerBatch(more!).tiles[0]?.hashes.toString('hex')]]);
  });

  it('tells rows that hold what others of the ledger lack', async () => {
    const live = await arrange();
    const { projection } = live;
    const rows = rowsFor(projection, [creation(), creation()]);
    const without = rows.map((row, at) => (at === 1 ? { ...row, body: '{"name":"BusinessCreated","data":{}}' } : row));
    const nothing = rows.map((row, at) =>
      at === 1 ? { ...row, body: '{"name":"BusinessCreated","data":null}' } : row,
    );
    const other = without.map((row) => ({ ...row, leaf: Buffer.alloc(32, 7) }));
    const made = [];
    for (const each of [rows, without, nothing, other, rows.slice(0, 1)]) {
      const writer = await aWriter(place(), projection, { role: 'building' });
      await filled(place(), writer, stepTo(5n), each);
      made.push(writer.generation);
    }
    const answers = [];
    for (const [one, than] of [
      [0, 1],
      [0, 2],
      [1, 0],
      [1, 2],
      [0, 0],
      [0, 3],
      [0, 4],
      [4, 0],
    ] as const)
      answers.push(await place().one.holdsMore(made[one]!, made[than]!));
    expect(answers).to.deep.equal([true, true, false, false, false, false, false, false]);
  });

  it('writes each generation by itself', async () => {
    const live = await arrange();
    const building = await aWriter(place(), live.projection, { role: 'building' });
    await filled(place(), live, stepTo(5n), rowsFor(live.projection, [creation(), creation()]));
    const before = await whatIsInLedger(place().one, live);
    await filled(place(), building, stepTo(9n), rowsFor(live.projection, [creation()]));
    const after = await whatIsInLedger(place().one, live);
    expect({ ...after, generations: [] }).to.deep.equal({ ...before, generations: [] });
    expect((await whatIsInLedger(place().one, building)).leaves).to.have.length(1);
  });
};
