import { either as E } from 'fp-ts';
import { readLiveCheckpoints } from '../../../projections/engine/postgres/live-checkpoints.js';
import type { ErasePorts, Left, Step } from '../../application/erasure/erase.js';
import type { RecordToErase } from '../../application/erasure/find-events.js';
import { ledgerOf, projectionsOf, type Registry } from '../../entities/registry.js';
import { makeRetry } from '../../event-sourcing/retry.js';
import { categoryOf, type Position, type StoredEvent } from '../../event-sourcing/recorded-event.js';
import { type KeyControl, REFRESH_MS } from '../../infrastructure/open-encryption.js';
import { openStorage } from '../../infrastructure/open-storage.js';
import {
  type ErasedRow,
  eraseLedgerRows,
  findEntityRowsLeft,
  findLedgerRowsLeft,
  forgetOldRows,
} from '../../infrastructure/postgres/erasure/erased-rows.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';
import type { ExitCode } from '../exit-code.js';
import { type DecidingLog, onDecidedLog, onDecidingLog } from '../log/on-deciding-log.js';
import { failed } from '../output.js';

const NOT_ENCRYPTED =
  'the data of this log is not encrypted, so that nothing of it can be erased: set ERASURE and ERASURE_KEY, and restart the service';

/** What an erasure works on. */
export type ErasableLog = DecidingLog & { readonly keyControl: KeyControl };

type Work = (log: ErasableLog, signal: AbortSignal) => Promise<ExitCode>;

const whereErasable =
  (work: Work) =>
  async (log: DecidingLog, signal: AbortSignal): Promise<ExitCode> => {
    const { keyControl } = log;
    return keyControl === undefined ? failed(NOT_ENCRYPTED) : work({ ...log, keyControl }, signal);
  };

/** Runs a command on a log whose data can be erased. */
export const onErasableLog = (registry: Registry, work: Work): Promise<void> =>
  onDecidedLog(registry, whereErasable(work));

/** The same for one that erases, which is a decision. */
export const onErasingLog = (registry: Registry, work: Work): Promise<void> =>
  onDecidingLog(registry, whereErasable(work));

/** How long the rows may take to show what was recorded, ms. */
const ROWS_MS = 30_000;
/** A process looks for destroyed keys so often; and the time of its question. */
const KNOWN_TO_ALL_MS = REFRESH_MS + 5_000;

const reach = async (
  { pool }: ErasableLog,
  names: ReadonlyArray<string | undefined>,
  position: Position,
): Promise<boolean> => {
  const retry = makeRetry({
    runtime: systemRuntime,
    first: 100,
    longest: 500,
    until: systemRuntime.clock.monotonic() + ROWS_MS,
  });
  do {
    const behind = (await readLiveCheckpoints(pool)).filter(
      ({ projection, commit }) => names.includes(projection) && commit < position,
    );
    if (behind.length === 0) return true;
  } while (await retry.again());
  return false;
};

/** The ports of an erasure, for as long as `use` takes. */
export const withErasePorts = async (
  log: ErasableLog,
  onStep: (step: Step) => void,
  use: (ports: ErasePorts) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const { store, pool, registry, keys, keyControl, config } = log;
  const storage = await openStorage(config, { runtime: systemRuntime, mustExist: true });
  if (E.isLeft(storage)) return failed(storage.left.message);
  const ledger = ledgerOf(registry);
  const kinds = new Map(ledger.kinds.map((kind) => [kind.category, kind]));
  const names = new Map(projectionsOf(registry).map(({ category, name }) => [category, name]));
  const rowsOf = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<ErasedRow> =>
    events.flatMap((event) => {
      const category = categoryOf(event.stream);
      const record = kinds.get(category)?.recordOf(event);
      return record === undefined ? [] : [{ category, ...record }];
    });
  const look = async ({ stream, events: of }: RecordToErase, events: ReadonlyArray<StoredEvent>) => {
    const name = names.get(categoryOf(stream));
    const tables = [
      ...(await findLedgerRowsLeft(pool, ledger.name, rowsOf(events))),
      ...(of === 'all' && name !== undefined ? await findEntityRowsLeft(pool, name, stream) : []),
    ];
    return tables.map((what): Left => ({ where: 'rows', what, why: `it still has a row of ${stream} as it was` }));
  };
  try {
    return await use({
      runtime: systemRuntime,
      store,
      keys,
      destroy: async (places) => {
        await keyControl.destroy(places);
        await systemRuntime.clock.sleep(KNOWN_TO_ALL_MS);
      },
      files: storage.right,
      rows: {
        reach: ({ stream, position }) => reach(log, [ledger.name, names.get(categoryOf(stream))], position),
        rewrite: (events) => eraseLedgerRows(pool, ledger.name, rowsOf(events)),
        forget: () => forgetOldRows(pool, [ledger.name, ...names.values()]),
        look,
      },
      onStep,
    });
  } finally {
    await storage.right.space?.stop();
  }
};
