import { isDeepStrictEqual } from 'node:util';
import { encryptionRulesOf, registry } from '../../src/entities/registry.js';
import type { RecordToErase } from '../../src/application/erasure/find-events.js';
import { encryptedStore } from '../../src/event-sourcing/encryption/encrypted-store.js';
import type { KeyTree } from '../../src/event-sourcing/encryption/key-tree.js';
import { type StoredTree, unwrapTree } from '../../src/event-sourcing/encryption/wrapped-tree.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { Random } from '../../src/event-sourcing/random.js';
import { ERASURE_SECRET } from '../support/memory-adapters/memory-config.js';
import { makeMemoryKeyState, type MemoryKeyState } from '../support/memory-adapters/memory-key-state.js';

/** An erasure of events of one record, that an operator has begun or was about to begin. */
export type NotedErasure = RecordToErase & {
  /** Nothing of it is erased before. */
  readonly began: number;
  /** From then on everything is; `Infinity` while a command has still to end. */
  readonly ended: number;
};

/** What operators erase in a life, and by which keys. */
export type Erasures = {
  readonly keyState: MemoryKeyState;
  readonly noted: () => ReadonlyArray<NotedErasure>;
  readonly begin: (records: ReadonlyArray<RecordToErase>) => void;
  /** A command has ended that leaves nothing of these. */
  readonly end: (records: ReadonlyArray<RecordToErase>) => void;
  /** Whether something of a record may have been erased until now; without one, of any. */
  readonly touches: (id: string | undefined) => boolean;
  /** Whether something was being erased since a time. */
  readonly wasAny: (since: number) => boolean;
  /** A log as processes have it that know all that was destroyed, or as it would be if nothing had been. */
  readonly open: (store: EventStore, as: 'it is' | 'it was written') => Promise<EventStore>;
};

const treeOf = (stored: StoredTree | undefined): KeyTree => {
  const tree = stored && unwrapTree(stored.wrapped, [ERASURE_SECRET], stored);
  if (tree === undefined) throw new Error('the keys do not open');
  return tree;
};

export const makeErasures = (now: () => number, random: Random): Erasures => {
  const keyState = makeMemoryKeyState();
  const noted: Array<NotedErasure> = [];
  const placeOf = ({ stream, events }: RecordToErase): number =>
    noted.findIndex((each) => each.stream === stream && isDeepStrictEqual(each.events, events));
  return {
    keyState,
    noted: () => noted,
    begin: (records) => {
      for (const { stream, events } of records)
        if (placeOf({ stream, events }) < 0) noted.push({ stream, events, began: now(), ended: Infinity });
    },
    end: (records) => {
      for (const record of records) {
        const place = placeOf(record);
        const known = noted[place];
        if (known === undefined) throw new Error(`nobody has begun to erase ${record.stream}`);
        noted[place] = { ...known, ended: Math.min(known.ended, now()) };
      }
    },
    touches: (id) => noted.some(({ stream }) => id === undefined || stream.endsWith(`-${id}`)),
    wasAny: (since) => noted.some(({ ended }) => ended > since),
    open: async (store, as) => {
      const tree = treeOf(as === 'it is' ? await keyState.read() : keyState.first());
      return encryptedStore(store, { rules: encryptionRulesOf(registry), keys: () => tree, random });
    },
  };
};
