import type { Drift } from './find-drift.js';

/** A row that drifted, and the read model it belongs to. */
export type FoundDrift = Drift & { readonly projection: string };

/** Rows that are remembered, of all read models. */
const REMEMBERED = 1_000;

export type KnownDrifts = {
  /** What the comparison of a record has found. */
  readonly note: (projection: string, id: string, drift: Drift | undefined) => void;
  /** How many rows of a read model differ. A row ahead of its stream is another matter, and is not among them. */
  readonly count: (projection: string) => number;
  readonly all: () => ReadonlyArray<FoundDrift>;
  /** Another process compares this read model now. */
  readonly forget: (projection: string) => void;
};

type KnownDriftsOptions = {
  readonly onDrift: (drift: FoundDrift) => void;
  readonly onGone: (drift: FoundDrift) => void;
};

const faultOf = (drift: Drift): string => {
  const revisions = drift.kind === 'ahead' ? [drift.shown, drift.newest] : [];
  return [drift.kind, ...drift.fields, ...revisions].join(' ');
};

/** The rows that are known to differ now. Each is reported once, and again when other fields of it differ. */
export const makeKnownDrifts = ({ onDrift, onGone }: KnownDriftsOptions): KnownDrifts => {
  const known = new Map<string, FoundDrift>();
  return {
    note: (projection, id, drift) => {
      const key = `${projection} ${id}`;
      const before = known.get(key);
      if (drift === undefined) {
        known.delete(key);
        if (before !== undefined) onGone(before);
        return;
      }
      if (before !== undefined && faultOf(before) === faultOf(drift)) return;
      if (before === undefined && known.size >= REMEMBERED) return;
      const found = { ...drift, projection };
      known.set(key, found);
      onDrift(found);
    },
    count: (projection) => {
      let count = 0;
      for (const drift of known.values()) if (drift.projection === projection && drift.kind !== 'ahead') count += 1;
      return count;
    },
    all: () => [...known.values()],
    forget: (projection) => {
      for (const [key, drift] of known) if (drift.projection === projection) known.delete(key);
    },
  };
};
