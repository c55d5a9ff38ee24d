import { randomUUID } from 'node:crypto';
import { either as E } from 'fp-ts';
import type { NewRow } from '../../../projections/engine/ledger/ledger-rows.js';
import { EMPTY, type LedgerEnd, makeNumberRows } from '../../../projections/engine/ledger/number-rows.js';
import type { LedgerBatch, LedgerWriter, ReadModelStorage, Step } from '../../../projections/engine/storage.js';
import type { Ledger } from '../../../projections/ledger.js';
import { ledgerOf, registry } from '../../../src/entities/registry.js';
import type { StoredEvent, StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { leafHash } from '../../../src/seal/hash.js';
import type { ReadTiles } from '../../../src/seal/read-tiles.js';
import { appendLeaves, emptyEdge, type TreeEdge } from '../../../src/seal/tree-edge.js';
import { stored } from '../../support/recorded.js';
import type { Place } from './storage-under-test.js';

/** A ledger of every kind of entity, under a name that no other test uses. */
export const aLedger = (): Ledger => ({ ...ledgerOf(registry), name: `l${randomUUID().slice(0, 8)}` });

/** The first event of a business, later than the one before it in a test. */
export const creation = (stream: StreamName = `business-${randomUUID()}`, name = 'Acme'): StoredEvent =>
  stored({ type: 'BusinessCreated', data: { name } }, { stream });

export const rowsFor = (
  ledger: Ledger,
  events: ReadonlyArray<StoredEvent>,
  end: LedgerEnd = EMPTY,
): ReadonlyArray<NewRow> => makeNumberRows(ledger)(end, events).rows;

/** Rows with the tiles that their leaves make behind those of an edge. */
export const ledgerBatch = (
  rows: ReadonlyArray<NewRow>,
  edge: TreeEdge = emptyEdge,
): LedgerBatch & { readonly edge: TreeEdge } => {
  const appended = appendLeaves(
    edge,
    rows.map(({ leaf }) => leafHash(leaf)),
  );
  return { rows, ...appended };
};

/** For arranging: writes the first rows of a ledger, with their tree. */
export const filled = async (
  { one }: Pick<Place, 'one'>,
  writer: LedgerWriter,
  step: Step,
  rows: ReadonlyArray<NewRow>,
): Promise<void> => {
  if ((await one.ledgerRows(writer).prepare(ledgerBatch(rows))(step)) === undefined) throw new Error('not written');
};

/** What is kept of some tiles; undefined where there is none. */
export const tilesOf = async (
  readTiles: ReadTiles<never>,
  ...places: ReadonlyArray<readonly [level: number, index: number]>
): Promise<ReadonlyArray<string | undefined>> => {
  const tiles = await readTiles(places.map(([level, index]) => ({ level, index, width: 1 })));
  if (E.isLeft(tiles)) throw new Error('not read');
  return tiles.right.map((hashes) => hashes?.toString('hex'));
};

/** All that is kept of a ledger, but for times. */
export const whatIsInLedger = async (storage: ReadModelStorage, writer: LedgerWriter) => {
  const own = storage.ledgerRows(writer);
  const generations = (await storage.generations(writer.projection.name)).map(({ name }) => name);
  if (!generations.includes(writer.generation.name)) return { generations };
  return {
    generations: await storage.generations(writer.projection.name),
    leaves: (await own.leaves(0n, 10_000)).map(({ index, leaf }) => [index, leaf.toString('hex')]),
    end: await own.end(),
    tiles: await tilesOf(own.readTiles, [0, 0], [0, 1], [1, 0]),
  };
};
