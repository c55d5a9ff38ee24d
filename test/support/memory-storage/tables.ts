import type { Generation, GenerationState } from '../../../projections/engine/generation/generation.js';
import type { Parked } from '../../../projections/engine/parked/parked.js';
import type { TextRow } from '../../../projections/engine/rows/differing-fields.js';
import type { Clock } from '../../../src/event-sourcing/clock.js';
import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import type { LedgerRow } from './ledger-row.js';
import { noTable } from './refusal.js';
import { makeTable, type Table } from './table.js';

export type ParkedRow = Omit<Parked, 'projection'>;

type EntityContents = {
  readonly rowFor: 'entity';
  readonly rows: Table<string, TextRow>;
  /** By stream. */
  readonly parked: Table<string, ParkedRow>;
};

type LedgerContents = {
  readonly rowFor: 'event';
  readonly rows: Table<bigint, LedgerRow>;
  /** By their place: `level/index`. */
  readonly tiles: Table<string, Buffer>;
};

/** A generation and its rows. */
export type Instance = Generation &
  Pick<GenerationState, 'isRebuild' | 'skips' | 'isEvidence'> & {
    readonly projection: string;
    /** Since when it has its role, ms since 1970; of the same time, the higher number is later. */
    readonly roleSince: number;
    readonly roleNumber: number;
    readonly contents: EntityContents | LedgerContents;
  };

type LeaseRow = {
  readonly holder: string;
  readonly fencing: bigint;
  /** ms since 1970; `-Infinity` when it was given back. */
  readonly expiresAt: number;
};

type OnCheckpoint = (readModel: string, commit: Position) => void;

/** All that is stored, behind the calls of all processes. */
export type Tables = {
  /** ms since 1970, by the clock of the storage. */
  readonly now: () => number;
  readonly instances: Table<string, Instance>;
  readonly leases: Table<string, LeaseRow>;
  /** By `readModel/log`. */
  readonly acknowledged: Table<string, Position>;
  readonly numberGeneration: () => number;
  readonly numberRole: () => number;
  readonly entityContents: () => EntityContents;
  readonly ledgerContents: () => LedgerContents;
  readonly migrate: () => void;
  readonly isMigrated: () => boolean;
  /** Tells listeners, once the call has taken effect. */
  readonly notify: OnCheckpoint;
  readonly listeners: Set<OnCheckpoint>;
  /** Runs a call, and undoes what it has changed when it throws. */
  readonly attempt: <A>(call: () => A) => A;
  /** Undoes what the call has changed until now. */
  readonly undo: () => void;
};

export const makeTables = (clock: Clock): Tables => {
  let isMigrated = false;
  let [generations, roles] = [0, 0];
  let undos: Array<() => void> = [];
  let notices: Array<() => void> = [];
  const listeners = new Set<OnCheckpoint>();
  const undo = (): void => {
    for (const each of undos.toReversed()) each();
    [undos, notices] = [[], []];
  };
  const table = <Key, Row>(): Table<Key, Row> => makeTable((undo) => void undos.push(undo));

  return {
    now: () => clock.date().getTime(),
    instances: table(),
    leases: table(),
    acknowledged: table(),
    numberGeneration: () => (generations += 1),
    numberRole: () => (roles += 1),
    entityContents: () => ({ rowFor: 'entity', rows: table(), parked: table() }),
    ledgerContents: () => ({ rowFor: 'event', rows: table(), tiles: table() }),
    migrate: () => {
      isMigrated = true;
    },
    isMigrated: () => isMigrated,
    listeners,
    notify: (readModel, commit) => {
      for (const listener of listeners)
        notices.push(() => {
          if (listeners.has(listener)) listener(readModel, commit);
        });
    },
    undo,
    attempt: (call) => {
      [undos, notices] = [[], []];
      try {
        const result = call();
        notices.forEach(queueMicrotask);
        return result;
      } catch (error) {
        undo();
        throw error;
      }
    },
  };
};

type Call = <Args extends ReadonlyArray<unknown>, A>(
  tables: Tables,
  call: (...args: Args) => A,
) => (...args: Args) => Promise<A>;

/** A call that can be made before anything is: it takes effect at once, whole or not at all. */
export const atOnceAnyway: Call =
  (tables, call) =>
  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
  async (...args) =>
    tables.attempt(() => call(...args));

/** The same of every other call. */
export const atOnce: Call = (tables, call) =>
  atOnceAnyway(tables, (...args) => {
    if (!tables.isMigrated()) throw noTable('instance');
    return call(...args);
  });

export const entityContentsOf = ({ instances }: Tables, name: string): EntityContents => {
  const contents = instances.rows.get(name)?.contents;
  if (contents?.rowFor !== 'entity') throw noTable(name);
  return contents;
};

export const ledgerContentsOf = ({ instances }: Tables, name: string): LedgerContents => {
  const contents = instances.rows.get(name)?.contents;
  if (contents?.rowFor !== 'event') throw noTable(name);
  return contents;
};
