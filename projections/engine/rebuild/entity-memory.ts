import type { Projection, RowContent } from '../../projection.js';
import type { Entity } from '../rows.js';

/** States kept ready for the next event: twice this, at most. */
const GENERATION = 10_000;
/** What an entity costs beside its texts, in bytes: the record, its place and revision, its entry in the map. */
const OVERHEAD = 250;

type Packed = Omit<Entity<never>, 'state'> & RowContent;

/**
 * Entities as a rebuild folds them. Those that were not touched lately are kept as the text of their row, a third of
 * what a state takes: 200,000 businesses are about 200 MB.
 */
export type EntityMemory<State> = {
  readonly get: (id: string) => Entity<State> | undefined;
  readonly set: (entity: Entity<State>) => void;
  /** About what it holds, in bytes. */
  readonly bytes: () => number;
  readonly all: () => Iterable<Entity<State>>;
};

const bytesOf = ({ body, kept }: RowContent): number => (body?.length ?? 0) + (kept?.length ?? 0) + OVERHEAD;

export const makeEntityMemory = <State>({
  contentOf,
  stateOf,
}: Pick<Projection<State, never>, 'contentOf' | 'stateOf'>): EntityMemory<State> => {
  let young = new Map<string, Entity<State>>();
  let old = new Map<string, Entity<State>>();
  const packed = new Map<string, Packed>();
  let bytes = 0;

  const pack = ({ state, ...rest }: Entity<State>): void => {
    const before = packed.get(rest.id);
    const after = { ...rest, ...contentOf(rest.id, state) };
    packed.set(rest.id, after);
    bytes += bytesOf(after) - (before === undefined ? 0 : bytesOf(before));
  };
  const unpack = ({ body, kept, ...rest }: Packed): Entity<State> => ({ ...rest, state: stateOf({ body, kept }) });

  const set = (entity: Entity<State>): void => {
    if (young.size >= GENERATION && !young.has(entity.id)) {
      for (const [id, oldest] of old) if (!young.has(id)) pack(oldest);
      old = young;
      young = new Map();
    }
    young.set(entity.id, entity);
  };

  function* all(): Generator<Entity<State>> {
    yield* young.values();
    for (const [id, entity] of old) if (!young.has(id)) yield entity;
    for (const [id, entity] of packed) if (!young.has(id) && !old.has(id)) yield unpack(entity);
  }

  return {
    get: (id) => {
      const ready = young.get(id) ?? old.get(id);
      if (ready !== undefined) return ready;
      const texts = packed.get(id);
      return texts && unpack(texts);
    },
    set,
    bytes: () => bytes,
    all,
  };
};
