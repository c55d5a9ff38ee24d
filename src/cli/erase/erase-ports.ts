import { dropBehind } from '../../../projections/engine/generation/drop-behind.js';
import type { ReadModelStorage } from '../../../projections/engine/storage.js';
import type { Ledger } from '../../../projections/ledger.js';
import type { Projection } from '../../../projections/projection.js';
import type { ErasePorts, Left, Step } from '../../application/erasure/erase.js';
import type { RecordToErase } from '../../application/erasure/find-events.js';
import type { ErasableFiles } from '../../application/ports.js';
import { ledgerOf, projectionsOf, type Registry } from '../../entities/registry.js';
import type { EventKeys } from '../../event-sourcing/event-key.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { categoryOf, type StoredEvent, type StreamName } from '../../event-sourcing/recorded-event.js';
import { makeRetry } from '../../event-sourcing/retry.js';
import type { Runtime } from '../../event-sourcing/runtime.js';
import { KNOWN_MS, type KeyControl } from '../../infrastructure/open-encryption.js';
import type { ErasedRow, ErasedRows } from '../../infrastructure/postgres/erasure/erased-rows.js';

/** What an erasure reaches. */
type Erasable = {
  readonly runtime: Runtime;
  readonly registry: Registry;
  readonly store: Pick<EventStore, 'readStream' | 'append'>;
  /** The newest one seals. */
  readonly keys: EventKeys;
  readonly keyControl: Pick<KeyControl, 'destroy'>;
  readonly storage: Pick<ReadModelStorage, 'liveCheckpoints' | 'change'>;
  readonly rows: ErasedRows;
  readonly files: ErasableFiles;
};

/** How long the rows may take to show what was recorded, ms. */
const ROWS_MS = 30_000;
/** Clocks of machines run at different speeds. */
const KNOWN_TO_ALL_MS = KNOWN_MS + 1_000;

const reach = async (
  { runtime, storage }: Erasable,
  ledger: Ledger,
  projection: Projection | undefined,
  { position }: StoredEvent,
): Promise<string | undefined> => {
  const until = runtime.clock.monotonic() + ROWS_MS;
  const retry = makeRetry({ runtime, first: 100, longest: 500, until });
  const names = [ledger.name, projection?.name];
  const whyNot = async (): Promise<string | undefined> => {
    const live = await storage.liveCheckpoints();
    if (live.some(({ projection: of, commit }) => names.includes(of) && commit < position))
      return 'no service has written its rows: start one, and give the same command again';
    const behind = projection === undefined ? [] : await dropBehind(storage, projection, position);
    return behind.length === 0
      ? undefined
      : `${behind.join(', ')} may show it until it is written to its end: give the same command again then`;
  };
  let why = await whyNot();
  while (why !== undefined && (await retry.again())) why = await whyNot();
  return why;
};

/** The ports of an erasure, over what it reaches. */
export const makeErasePorts = (erasable: Erasable, onStep: (step: Step) => void): ErasePorts => {
  const { runtime, registry, store, keys, keyControl, files, rows } = erasable;
  const ledger = ledgerOf(registry);
  const kinds = new Map(ledger.kinds.map((kind) => [kind.category, kind]));
  const projections = new Map(projectionsOf(registry).map((each) => [each.category, each]));
  const projectionOf = (stream: StreamName): Projection | undefined => projections.get(categoryOf(stream));
  const rowsOf = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<ErasedRow> =>
    events.flatMap((event) => {
      const category = categoryOf(event.stream);
      const record = kinds.get(category)?.recordOf(event);
      return record === undefined ? [] : [{ category, ...record }];
    });
  const look = async ({ stream, events: of }: RecordToErase, events: ReadonlyArray<StoredEvent>) => {
    const name = projectionOf(stream)?.name;
    const tables = [
      ...(await rows.findLeftInLedger(ledger.name, rowsOf(events))),
      ...(of === 'all' && name !== undefined ? await rows.findLeftOfEntity(name, stream) : []),
    ];
    return tables.map((what): Left => ({ where: 'rows', what, why: `it still has a row of ${stream} as it was` }));
  };
  return {
    runtime,
    store,
    keys,
    destroy: async (places) => {
      await keyControl.destroy(places);
      await runtime.clock.sleep(KNOWN_TO_ALL_MS);
    },
    files,
    rows: {
      reach: (event) => reach(erasable, ledger, projectionOf(event.stream), event),
      rewrite: (events) => rows.eraseLedger(ledger.name, rowsOf(events)),
      forget: () => rows.forget([ledger, ...projections.values()].map(({ name }) => name)),
      look,
    },
    onStep,
  };
};
