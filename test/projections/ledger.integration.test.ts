import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { ledgerOf, readModelsOf, registry } from '../../src/entities/registry.js';
import { canonicalJson } from '../../src/event-sourcing/canonical-json.js';
import { entityIdOf, type StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { copyLog } from '../../src/event-sourcing/whole-log/copy-log.js';
import { makeReadTiles } from '../../projections/engine/postgres/rows/tiles.js';
import { dropOutdated } from '../../projections/engine/generation/drop-outdated.js';
import { prepareMove } from '../../projections/engine/postgres/move-to-copy.js';
import { rebuild } from '../../projections/engine/rebuild/rebuild.js';
import type { Ledger } from '../../projections/ledger.js';
import { runIn } from '../../src/postgres/statement.js';
import { leafHash } from '../../src/seal/hash.js';
import { treeRoot } from '../../src/seal/proofs.js';
import { appendLeaves, edgeRoot, emptyEdge } from '../../src/seal/tree-edge.js';
import { versionOf } from '../../projections/version.js';
import { appendChained, businessStream, interleaved, makeChains, wholeLog } from '../support/chained-events.js';
import { type Engine, makeEngine, orThrow } from '../support/engine.js';
import { untilShown } from '../support/until-shown.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { startingPostgres } from '../support/postgres.js';
import { append, AT, created, renamed, sealed } from './appending.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { storageIn } from '../support/read-model-storage.js';

const silent = {
  onOpened: () => undefined,
  onChunksLoaded: () => undefined,
  onProgress: () => undefined,
  onBuilt: () => undefined,
};

describe('the ledger', function () {
  this.timeout(startingPostgres);

  let engine: Engine;

  beforeEach(async () => {
    engine = await makeEngine();
  });

  afterEach(() => engine.close());

  type Row = { readonly idx: string; readonly body: string } & Readonly<Record<string, unknown>>;

  const bodyId = (row: Row | undefined): string => (JSON.parse(row?.body ?? '') as { _id: string })._id;

  const rows = async (): Promise<ReadonlyArray<Row>> =>
    (await engine.database.query<Row>('select *, leaf::text as leaf from read_model.ledger order by idx')).rows;

  const serve = (ledger: Ledger = ledgerOf(registry)) => {
    const served = engine.serve({ projections: [ledger] });
    return { ...served, ledger: served.byName('ledger').progress };
  };

  /** Keeps the ledger until it shows the whole log. */
  const fill = async (ledger?: Ledger): Promise<void> => {
    const running = serve(ledger);
    const head = orThrow(await engine.store.head(['business', 'document']));
    expect(await untilShown(running.ledger, head ?? -1n)).to.equal(true);
    await running.stop();
  };

  const rebuilt = async () =>
    orThrow(
      await rebuild({
        runtime: systemRuntime,
        storage: storageIn(engine.database),
        store: engine.store,
        projection: ledgerOf(registry),
        isFromScratch: false,
        differences: { keep: 3, onDifference: () => Promise.resolve() },
        decide: () => Promise.resolve('switch'),
        observer: silent,
        signal: new AbortController().signal,
      }),
    );

  const hashOf = ({ metadata }: StoredEvent): unknown => (JSON.parse(metadata) as { hash: string }).hash;

  it('has a row for each event of every entity, in the order of the log, and for each decision that is in the tree', async () => {
    const document = 'document-0198f000-0000-7000-8000-000000000001';
    const documentFields = { name: 'd', description: null, tags: [], type: 'Document', entityType: 'Business' };
    await appendChained(engine.store, makeChains(), ...interleaved(3, 2));
    const decisions = 'operations-businesses';
    const skip = { projection: 'businesses', stream: document, revision: 0, eventId: 'e1', reason: 'broken' };
    const decision = { type: 'ProjectionEventSkipped', data: skip };
    // one of a program that left them out of the tree
    await append(engine.store, decisions, 0n, decision);
    await append(engine.store, decisions, 1n, sealed(decision, decisions, 1n, 2));
    await append(engine.store, document, 0n, {
      type: 'DocumentCreated',
      data: { ...documentFields, entity: 'b1', file: null },
    });
    await fill();
    const events = (await wholeLog(engine.store)).filter(
      ({ stream, revision }) => stream !== decisions || revision === 1n,
    );
    const ledger = await rows();
    expect(ledger.map(({ idx }) => idx)).to.deep.equal(events.map((_, index) => String(index)));
    for (const [index, event] of events.entries())
      expect(ledger[index]).to.include({
        entity: entityIdOf(event.stream),
        revision: event.revision.toString(),
        name: event.type,
        leaf: `\\x${String(hashOf(event))}`,
      });
    expect(ledger.map(({ category }) => category)).to.deep.equal([
      ...Array<string>(6).fill('business'),
      ...['operations', 'document'],
    ]);
    expect(ledger[6]).to.deep.include({ refs: [entityIdOf(document)], fields: [] });
    expect(ledger.at(-1)).to.deep.include({
      actor: 'alice',
      at: new Date(AT),
      fields: ['description', 'entity', 'entityType', 'name', 'tags', 'type'],
      refs: ['b1'],
    });
    expect(JSON.parse(ledger.at(-1)?.body ?? '')).to.deep.include({
      entityType: 'Document',
      message: 'document created',
      refs: [{ entity: 'b1', entityType: 'Business' }],
      data: { ...documentFields, entity: 'b1', file: null },
    });
  });

  /** What the live tiles say the root is, and what the leaves of the rows say it is. */
  const roots = async () => {
    const { rows: leaves } = await engine.database.query<{ leaf: Buffer }>(
      'select leaf from read_model.ledger order by idx',
    );
    const { edge } = appendLeaves(
      emptyEdge,
      leaves.map(({ leaf }) => leafHash(leaf)),
    );
    const stored = orThrow(await treeRoot(leaves.length, makeReadTiles(runIn(engine.database), { liveOf: 'ledger' })));
    return { tiles: stored.toString('hex'), rows: edgeRoot(edge).toString('hex') };
  };

  it('keeps the tree over its events, which goes on where another process has ended', async () => {
    const chains = makeChains();
    for (const more of [1, 299, 2, 700]) {
      await appendChained(engine.store, chains, ...interleaved(1, more));
      await fill();
      const { tiles, rows: fromRows } = await roots();
      expect(tiles).to.equal(fromRows);
    }
  });

  it('makes the tree anew from its rows when tiles that it needs to go on are gone', async () => {
    const chains = makeChains();
    await appendChained(engine.store, chains, ...interleaved(2, 200));
    await fill();
    await engine.database.query('delete from read_model.tile');
    await appendChained(engine.store, chains, ...interleaved(2, 3));
    await fill();
    const { tiles, rows: fromRows } = await roots();
    expect(tiles).to.equal(fromRows);
  });

  it('makes the tree anew only as far as no row is missing, and goes on', async () => {
    const chains = makeChains();
    await appendChained(engine.store, chains, ...interleaved(1, 300));
    await fill();
    await engine.database.query('delete from read_model.tile');
    await engine.database.query(`update read_model.ledger set idx = 1000000000000000 where idx = 299`);
    await engine.database.query('delete from read_model.ledger where idx = 280');
    await appendChained(engine.store, chains, ...interleaved(1, 1));
    await fill();
    expect((await rows()).at(-1)?.idx).to.equal('1000000000000001');
    const { rows: tiles } = await engine.database.query<{ level: number; idx: string; count: number }>(
      'select level, idx, length(hashes) / 32 as count from read_model.tile order by level, idx',
    );
    // the 280 rows before the first gap, and the new one
    expect(tiles.map(({ level, idx, count }) => [level, Number(idx), count])).to.deep.equal([
      [0, 0, 256],
      [0, 1, 25],
      [1, 0, 1],
    ]);
  });

  it('goes on numbering where another process has ended', async () => {
    const chains = makeChains();
    await appendChained(engine.store, chains, ...interleaved(2, 2));
    await fill();
    await appendChained(engine.store, chains, ...interleaved(2, 3));
    await fill();
    expect((await rows()).map(({ idx }) => Number(idx))).to.deep.equal(Array.from({ length: 10 }, (_, index) => index));
  });

  it('has a row for what this program cannot decode, and for what Postgres would reject', async () => {
    const stream = businessStream(1);
    const long = 'x'.repeat(5_000);
    const { metadata } = sealed(created('Acme'), stream, 0n);
    const other = JSON.stringify({
      ...(JSON.parse(metadata) as object),
      actor: `\0${long}`,
      at: 'today',
      hash: 'none',
    });
    const event = sealed({ type: 'BusinessMoved', data: { to: 'Mars' } }, stream, 1n);
    await append(engine.store, stream, 0n, created('Acme', { parent: '𝒫'.repeat(400) }));
    await append(engine.store, stream, 1n, event);
    await append(engine.store, stream, 2n, { ...sealed(renamed('x'), stream, 2n), metadata: 'no JSON' });
    await append(engine.store, stream, 3n, { ...sealed(renamed('x'), stream, 3n), data: '{"half"', metadata: other });
    await append(engine.store, stream, 4n, renamed('Acme II'));
    await fill();
    const ledger = await rows();
    expect(ledger.map(({ name, actor, fields }) => ({ name, actor, fields }))).to.deep.equal([
      { name: 'BusinessCreated', actor: 'alice', fields: ['name', 'parent'] },
      { name: 'BusinessMoved', actor: 'alice', fields: [] },
      { name: 'BusinessUpdated', actor: null, fields: [] },
      { name: 'BusinessUpdated', actor: `�${long}`, fields: [] },
      { name: 'BusinessUpdated', actor: 'alice', fields: ['name'] },
    ]);
    expect(ledger[0]?.['refs']).to.deep.equal(['𝒫'.repeat(255)]);
    expect(ledger.map(({ body }) => (JSON.parse(body) as { data: unknown }).data)).to.deep.equal([
      { name: 'Acme', parent: '𝒫'.repeat(400) },
      { to: 'Mars' },
      { changes: { name: 'x' } },
      null,
      { changes: { name: 'Acme II' } },
    ]);
    expect(ledger[3]).to.include({ at: null });
    const leaves = await engine.database.query<{ leaf: Buffer }>('select leaf from read_model.ledger order by idx');
    const nameless = canonicalJson({ id: bodyId(ledger[3]), stream, revision: '3', type: 'BusinessUpdated' });
    expect(leaves.rows[3]?.leaf.toString('hex')).to.equal(createHash('sha256').update(nameless).digest('hex'));
    expect(await engine.database.query('select from read_model.parked')).to.include({ rowCount: 0 });
  });

  it('is made anew with the same rows, which are compared with the live ones', async () => {
    await appendChained(engine.store, makeChains(), ...interleaved(3, 4));
    await fill();
    const before = await rows();
    const { compared, outcome } = await rebuilt();
    expect({ outcome, ...compared?.rows, differing: compared?.differing }).to.deep.equal({
      ...{ outcome: 'Switched', live: 12, rebuilt: 12, differing: 0 },
    });
    expect(await rows()).to.deep.equal(before);
    const { tiles, rows: fromRows } = await roots();
    expect(tiles).to.equal(fromRows);
    await engine.database.query(`update read_model.ledger set actor = 'mallory' where idx = 5`);
    const again = await rebuilt();
    expect(again.compared?.first).to.deep.equal([
      { ...again.compared?.first[0], _tag: 'Differs', id: '5', fields: ['actor'] },
    ]);
  });

  it('is kept, though outdated, where it has what somebody has taken out of the log', async () => {
    const { store, database } = engine;
    await appendChained(store, makeChains(), ...interleaved(3, 2));
    const reason = { type: 'BusinessDeleted', data: { $reason: 'it was sold' } };
    await append(store, businessStream(0), 2n, reason);
    await fill();
    await rebuilt();
    await dropOutdated(storageIn(database), ledgerOf(registry), 0);
    const previous = async () =>
      (
        await database.query<Record<string, unknown>>(
          `select is_evidence from read_model.instance where role = 'previous'`,
        )
      ).rows;
    expect(await previous()).to.deep.equal([]);

    // its database keeps events as they are; the rows of a log without the reason are those that a rebuild would make
    await rebuilt();
    await database.query(
      `update read_model.ledger set body = regexp_replace(body, '"data":.*$', '"data":{}}') where idx = 6`,
    );
    await dropOutdated(storageIn(database), ledgerOf(registry), 0);
    expect(await previous()).to.deep.equal([{ is_evidence: true }]);
    await dropOutdated(storageIn(database), ledgerOf(registry), 0);
    expect(await previous()).to.deep.equal([{ is_evidence: true }]);
  });

  it('is built anew beside the live one when events make other records', async () => {
    const chains = makeChains();
    await appendChained(engine.store, chains, ...interleaved(2, 2));
    await fill();
    const ledger = ledgerOf(registry);
    const changed: Ledger = {
      ...ledger,
      kinds: ledger.kinds.map((kind) => ({
        ...kind,
        version: 'another',
        recordOf: (event) => ({ ...kind.recordOf(event), fields: ['other'] }),
      })),
    };
    expect(versionOf(changed)).not.to.equal(versionOf(ledger));
    serve(changed);
    expect(await engine.said('ledger Switched')).to.equal(true);
    expect((await rows()).map(({ fields }) => fields)).to.deep.equal(Array(4).fill(['other']));
  });

  it('is the same over a copy of the log, whose positions are others', async () => {
    const chains = makeChains();
    await appendChained(engine.store, chains, ...interleaved(3, 2));
    await fill();
    const before = await rows();
    const copy = makeInMemoryEventStore();
    const move = orThrow(await prepareMove(engine.database, engine.store, readModelsOf(registry)));
    const copied = await copyLog(engine.store, copy, {
      runtime: systemRuntime,
      follow: false,
      signal: new AbortController().signal,
      onPair: (one, other) => move.onEvent(one, other.position),
      onProgress: () => undefined,
    });
    if (E.isLeft(copied)) throw new Error('not copied', { cause: copied.left });
    expect(orThrow(await move.commit())).to.have.lengthOf(1);
    expect(await rows()).to.deep.equal(before);
  });
});
