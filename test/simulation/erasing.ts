import { endErasure, erase, finishErasures, type Left, type Step } from '../../src/application/erasure/erase.js';
import { findErased, findEvents, type RecordToErase, type Subject } from '../../src/application/erasure/find-events.js';
import { makeErasePorts } from '../../src/cli/erase/erase-ports.js';
import type { Config } from '../../src/config.js';
import { ledgerOf, type Registry } from '../../src/entities/registry.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { sharedEventKeys } from '../../src/infrastructure/event-keys.js';
import type { KeyControl } from '../../src/infrastructure/open-encryption.js';
import type { Storage } from '../../src/infrastructure/open-storage.js';
import type { ErasedRows } from '../../src/infrastructure/postgres/erasure/erased-rows.js';
import { whyNotInTree } from '../../projections/engine/generation/decisions-in-tree.js';
import type { ReadModelStorage } from '../../projections/engine/storage.js';
import { right } from '../support/sealed-tree.js';
import type { Erasures } from './erasures.js';
import type { Notebook } from './notebook.js';
import type { SimulatedProcess } from './world.js';

type Eraser = {
  /** One of its own. */
  readonly process: SimulatedProcess;
  readonly config: Config;
  readonly registry: Registry;
  readonly store: EventStore;
  readonly storage: ReadModelStorage;
  readonly erasedRows: ErasedRows;
  readonly files: Storage;
  readonly keyControl: KeyControl;
  readonly erasures: Erasures;
  readonly notes: Notebook;
};

const textOf = ({ where, what, why }: Left): string => `${where}: ${what}: ${why}`;

/** What begins to say that nothing is left. */
export const ERASED = 'erased:';
/** What begins to say that nothing was done. */
export const REFUSED = 'not recorded:';

/**
 * Erases what `ops erase run` would, and by the functions that it does it by; without a subject, ends what was begun alone. Gives
 * what it says in the end.
 */
export const eraseSubject = async (eraser: Eraser, subject: Subject | undefined): Promise<string> => {
  const { process, config, registry, store, storage, erasedRows, files, keyControl, erasures, notes } = eraser;
  const why = await whyNotInTree(storage, ledgerOf(registry));
  if (why !== undefined) return `${REFUSED} ${why}`;
  const keys = right(await sharedEventKeys(process.random, config));
  const onStep = ({ _tag }: Step): void => notes.count(`of an erasure: ${_tag}`);
  const ports = makeErasePorts(
    { runtime: process, registry, store, keys, keyControl, storage, rows: erasedRows, files },
    onStep,
  );
  const carriedOut: Array<RecordToErase> = [];
  const noting = {
    ...ports,
    rows: {
      ...ports.rows,
      // of each record that is carried out, the last that is done
      look: (record: RecordToErase, ...events: [Parameters<typeof ports.rows.look>[1]]) => {
        carriedOut.push(record);
        return ports.rows.look(record, ...events);
      },
    },
  };
  const left = [...(await finishErasures(noting)).left];
  if (carriedOut.length > 0) notes.count('an erasure goes on where it was cut off');
  const records = subject === undefined ? [] : await findEvents(store, subject);
  if (records.length > 0) {
    erasures.begin(records);
    left.push(...(await erase(noting, records, { actor: 'dpo', basis: 'a ticket' })));
  } else if (subject !== undefined && subject.kind !== 'owner')
    left.push(...(await endErasure(noting, await findErased(store, `${subject.kind}-${subject.id}`))));
  if (left.length > 0) {
    notes.count('an erasure has left something');
    return `left all the same: ${left.map(textOf).join('; ')}`;
  }
  erasures.end(carriedOut);
  if (records.length > 0) notes.count(`erased: ${subject?.kind}`);
  return `${ERASED} ${carriedOut.map(({ stream, events }) => `${stream} ${JSON.stringify(events)}`).join('; ')}`;
};
