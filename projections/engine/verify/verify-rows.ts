import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Projection } from '../../projection.js';
import { readWritableLive } from '../generation/writable-live.js';
import { withSkips } from '../parked/skips.js';
import { differingFields } from '../rows/differing-fields.js';
import { rowOf } from '../rows/rows.js';
import type { ReadModelStorage } from '../storage.js';
import { type Drift, findDrift, type Verifier } from './find-drift.js';
import { type FoldedWindow, foldWindows } from './fold-window.js';

const PAGE = 500;
/** Entities compared at the same time: most of the time is spent waiting for log and database. */
const AT_ONCE = 16;

export type VerifyingRows = {
  /** How many random rows to verify; undefined: every row, and every stream that should have one. */
  readonly sample: number | undefined;
  readonly onDrift: (drift: Drift) => Promise<void>;
  /** After each entity. */
  readonly onChecked: (checked: number) => void;
  readonly signal: AbortSignal;
};

export type VerifiedRows = {
  readonly checked: number;
  readonly drifted: number;
  /** False when `signal` aborted it. */
  readonly isComplete: boolean;
};

type Ids = AsyncIterable<string> | Iterable<string>;

/**
 * Ids of a window at which row and fold are not the same, or one of them is missing; `onSame` is called for the others.
 * A row may have changed since the log was read, so what is given here is still to be confirmed.
 */
async function* suspects(
  { rows: stored, projection }: Verifier,
  { from, before, entities }: FoldedWindow,
  onSame: () => void,
): AsyncGenerator<string> {
  const unseen = new Map(entities);
  for (let after: string | undefined; ;) {
    const rows = await stored.texts({ from, after, before, limit: PAGE });
    for (const row of rows) {
      const id = row['id'] ?? '';
      const entity = unseen.get(id);
      unseen.delete(id);
      if (entity !== undefined && differingFields(rowOf(projection, entity), row).length === 0) onSame();
      else yield id;
    }
    const last = rows.at(-1)?.['id'];
    if (last === null || last === undefined) break;
    after = last;
  }
  yield* unseen.keys();
}

async function* inGroups(ids: Ids, size: number): AsyncGenerator<ReadonlyArray<string>> {
  let group: Array<string> = [];
  for await (const id of ids) {
    if (group.push(id) < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/**
 * The drift of a row. One that differs is compared a second time with the decisions of operators read anew: the
 * projection of `verifier` is `given` with the events that were skipped earlier.
 */
export const confirmedDrift = async (verifier: Verifier, given: Projection, id: string): Promise<Drift | undefined> => {
  if ((await findDrift(verifier, id)) === undefined) return undefined;
  return findDrift({ ...verifier, projection: await withSkips(verifier.store, given) }, id);
};

/** Compares live rows with their streams. Throws what log and database throw, and `NoLiveRows`. */
export const verifyRows = async (
  storage: Pick<ReadModelStorage, 'generations' | 'storedRows'>,
  store: EventStore,
  given: Projection,
  { sample, onDrift, onChecked, signal }: VerifyingRows,
): Promise<VerifiedRows> => {
  const rows = storage.storedRows(given, await readWritableLive(storage, given));
  const verifier = { rows, store, projection: await withSkips(store, given) };
  const counts = { checked: 0, drifted: 0 };
  const check = async (ids: Ids): Promise<boolean> => {
    for await (const group of inGroups(ids, AT_ONCE)) {
      if (signal.aborted) return false;
      for (const drift of await Promise.all(group.map((id) => confirmedDrift(verifier, given, id)))) {
        counts.checked += 1;
        onChecked(counts.checked);
        if (drift === undefined) continue;
        counts.drifted += 1;
        await onDrift(drift);
      }
    }
    return true;
  };
  if (sample !== undefined) {
    const isComplete = await check(await rows.sample(sample));
    return { ...counts, isComplete };
  }
  const onSame = (): void => {
    counts.checked += 1;
    onChecked(counts.checked);
  };
  for await (const window of foldWindows(store, verifier.projection, signal))
    if (!(await check(suspects(verifier, window, onSame)))) return { ...counts, isComplete: false };
  return { ...counts, isComplete: !signal.aborted };
};
