import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { estimateBytes } from '../../../src/event-sourcing/estimate-bytes.js';
import { entityIdOf, type StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import { isUuid } from '../../../src/event-sourcing/uuid.js';
import type { Projection } from '../../projection.js';
import { foldEntity, groupByStream, newEntity } from '../rows/fold-batch.js';
import type { Entity } from '../rows/rows.js';

/** Entities folded at the same time may take so much memory, bytes by `estimateBytes`. */
const WINDOW_BYTES = 96 * 1024 * 1024;
/** What is left of a window that has grown too large. */
const KEPT = 3 / 4;

/** The entities with ids from `from` (inclusive) to before `before`, folded to the end of the log. */
export type FoldedWindow = {
  /** Undefined: the first window. */
  readonly from: string | undefined;
  /** Undefined: the last window. */
  readonly before: string | undefined;
  readonly entities: ReadonlyMap<string, Entity>;
};

type Folding = {
  readonly from: string | undefined;
  readonly entities: Map<string, Entity>;
  readonly sizes: Map<string, number>;
  bytes: number;
  before: string | undefined;
};

const isIn = ({ from, before }: Pick<FoldedWindow, 'from' | 'before'>, id: string): boolean =>
  (from === undefined || id >= from) && (before === undefined || id < before);

const foldInto = (folding: Folding, projection: Projection, events: ReadonlyArray<StoredEvent>): void => {
  for (const [stream, own] of groupByStream(events)) {
    const id = entityIdOf(stream);
    const [first] = own;
    if (first === undefined || !isIn(folding, id) || !isUuid(id)) continue;
    const known = folding.entities.get(id) ?? newEntity(projection, id, first);
    const { entity } = foldEntity(projection, known, own);
    const size = estimateBytes(entity.state);
    folding.bytes += size - (folding.sizes.get(id) ?? 0);
    folding.entities.set(id, entity);
    folding.sizes.set(id, size);
  }
};

/** Leaves the entities with the highest ids to the next window. */
const shrink = (folding: Folding): void => {
  const ids = [...folding.entities.keys()].sort();
  const kept = Math.max(1, Math.floor(ids.length * KEPT));
  folding.before = ids[kept];
  for (const id of ids.slice(kept)) {
    folding.bytes -= folding.sizes.get(id) ?? 0;
    folding.entities.delete(id);
    folding.sizes.delete(id);
  }
};

/**
 * Reads the log once, in its own order, and folds the entities of a window that is as wide as the memory allows.
 * Undefined when `signal` aborts. Throws what the log throws.
 */
const foldWindow = async (
  store: Pick<EventStore, 'readAll'>,
  projection: Projection,
  from: string | undefined,
  windowBytes: number,
  signal: AbortSignal,
): Promise<FoldedWindow | undefined> => {
  const folding: Folding = { from, entities: new Map(), sizes: new Map(), bytes: 0, before: undefined };
  for await (const { events } of store.readAll({ after: 'start', categories: [projection.category] })) {
    if (signal.aborted) return undefined;
    foldInto(folding, projection, events);
    while (folding.bytes > windowBytes && folding.entities.size > 1) shrink(folding);
  }
  return folding;
};

/** All entities of a projection, window after window; ends early when `signal` aborts. */
export async function* foldWindows(
  store: Pick<EventStore, 'readAll'>,
  projection: Projection,
  signal: AbortSignal,
  windowBytes: number = WINDOW_BYTES,
): AsyncGenerator<FoldedWindow> {
  let from: string | undefined;
  do {
    const window: FoldedWindow | undefined = await foldWindow(store, projection, from, windowBytes, signal);
    if (window === undefined) return;
    yield window;
    from = window.before;
  } while (from !== undefined);
}
