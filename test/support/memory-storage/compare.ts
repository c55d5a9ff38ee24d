import { type ComparedRows, type Difference, differenceOf } from '../../../projections/engine/rebuild/difference.js';
import type { TextRow } from '../../../projections/engine/rows/differing-fields.js';
import type { ReadModelStorage, Writer } from '../../../projections/engine/storage.js';
import type { ReadModel } from '../../../projections/read-model.js';
import { writeBatch } from './change.js';
import { shownRow } from './entity-row.js';
import { liveInstance, toGeneration } from './generations.js';
import { shownLedgerRow } from './ledger-row.js';
import { ledgerRowsOf } from './ledger-rows.js';
import { holds } from './leases.js';
import { atOnce, entityContentsOf, type Tables } from './tables.js';

type Shown = ReadonlyMap<string, TextRow>;
type Snapshot = { readonly live: Shown; readonly rebuilt: Shown; readonly ids: ReadonlyArray<string> };
type Decide = Parameters<ReadModelStorage['compare']>[1];

/** The rows of a generation by their id, as Postgres shows them. */
const shownRows = (tables: Tables, projection: ReadModel, name: string): Shown =>
  projection.rowFor === 'entity'
    ? new Map([...entityContentsOf(tables, name).rows.rows].map(([id, row]) => [id, shownRow(projection, row)]))
    : new Map(ledgerRowsOf(tables, name).map((row) => [row.index.toString(), shownLedgerRow(row)]));

const inOrder = ({ rowFor }: ReadModel, ids: Iterable<string>): ReadonlyArray<string> =>
  rowFor === 'entity' ? [...ids].toSorted() : [...ids].toSorted((one, other) => Number(BigInt(one) - BigInt(other)));

const takeSnapshot = (tables: Tables, writer: Writer, decide: Decide): Snapshot | 'NoLiveRows' | undefined => {
  const { projection, generation, lease } = writer;
  const instance = liveInstance(tables, projection.name);
  if (!holds(tables, lease)) return undefined;
  if (instance === undefined) return 'NoLiveRows';
  const own = tables.instances.rows.get(generation.name);
  const decided = own && decide(toGeneration(instance), toGeneration(own));
  if (decided === undefined) return undefined;
  if (decided.write !== undefined && writeBatch(tables, decided.write) === undefined) return undefined;
  const live = shownRows(tables, projection, instance.name);
  const rebuilt = shownRows(tables, projection, generation.name);
  return { live, rebuilt, ids: inOrder(projection, new Set([...live.keys(), ...rebuilt.keys()])) };
};

const isSame = (one: TextRow, other: TextRow): boolean =>
  Object.keys(one).every((column) => one[column] === other[column]);

const differenceAt = ({ live, rebuilt }: Snapshot, id: string): Difference | undefined => {
  const [one, other] = [live.get(id) ?? null, rebuilt.get(id) ?? null];
  return one !== null && other !== null && isSame(one, other) ? undefined : differenceOf(id, one, other);
};

/** Compares both as they were at the call; meanwhile others write. */
export const makeCompare = (tables: Tables): ReadModelStorage['compare'] => {
  const begin = atOnce(tables, (writer: Writer, decide: Decide) => takeSnapshot(tables, writer, decide));
  return async (writer, decide, { keep, onDifference }): Promise<ComparedRows | 'NoLiveRows' | undefined> => {
    const snapshot = await begin(writer, decide);
    if (snapshot === undefined || snapshot === 'NoLiveRows') return snapshot;
    const counts = { OnlyLive: 0, OnlyRebuilt: 0, Differs: 0 };
    const first: Array<Difference> = [];
    for (const id of snapshot.ids) {
      const difference = differenceAt(snapshot, id);
      if (difference === undefined) continue;
      counts[difference._tag] += 1;
      if (first.length < keep) first.push(difference);
      await onDifference(difference);
    }
    return {
      rows: { live: snapshot.live.size, rebuilt: snapshot.rebuilt.size },
      onlyLive: counts.OnlyLive,
      onlyRebuilt: counts.OnlyRebuilt,
      differing: counts.Differs,
      first,
    };
  };
};
