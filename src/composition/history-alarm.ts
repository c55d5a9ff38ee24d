import { either as E } from 'fp-ts';
import { projectionsOf, type Registry } from '../entities/registry.js';
import { type Ahead, findAhead, type RowAhead } from '../event-sourcing/ahead.js';
import type { ShownRows } from '../event-sourcing/command/shown-rows.js';
import type { EventStore } from '../event-sourcing/event-store.js';
import { entityIdOf, type StreamName } from '../event-sourcing/recorded-event.js';
import { logAhead, logAheadNoMore } from '../infrastructure/logging/log-events.js';
import type { Logger } from '../infrastructure/logging/logger.js';
import type { Metrics } from '../infrastructure/metrics/metrics.js';
import { makeAheadCounter } from '../infrastructure/metrics/projection-metrics.js';
import type { ReadModelQueries } from '../infrastructure/postgres/read-models/make-read-model-queries.js';
import type { FindRowRevision } from '../infrastructure/postgres/read-models/row-revisions.js';
import type { Clock } from '../event-sourcing/clock.js';
import type { Runtime } from '../event-sourcing/runtime.js';

/** How often rows that were found ahead of their streams are compared again, ms. */
const AGAIN_MS = 5_000;
/** Rows that are compared again. The alarm lasts while one of them is ahead. */
const REMEMBERED = 1_000;

type HistoryAlarmOptions = {
  readonly clock: Clock;
  readonly store: Pick<EventStore, 'newestRevision'>;
  /** By the name of a read model. */
  readonly revisionOf: Readonly<Record<string, FindRowRevision>>;
  /** Called once for each row, and again when it is found with other revisions. */
  readonly onFound: (found: RowAhead) => void;
  /** The row is not ahead of its stream any more. */
  readonly onGone: (found: RowAhead) => void;
};

export type HistoryAlarm = {
  /** Somebody has found a row ahead of its stream. */
  readonly report: (found: RowAhead) => void;
  /** For the commands on entities of a read model. */
  readonly rowsOf: (projection: string) => ShownRows;
  /** For `/readyz`, by the text of the warning: whether rows of that read model are ahead. */
  readonly warnings: Readonly<Record<string, () => boolean>>;
  readonly stop: () => Promise<void>;
};

/** The alarm that events were removed from the log, by the rows that still show them. It ends when no row does. */
const raiseHistoryAlarm = ({ clock, store, revisionOf, onFound, onGone }: HistoryAlarmOptions): HistoryAlarm => {
  const known = new Map<StreamName, RowAhead>();
  const stopping = new AbortController();

  const report = (found: RowAhead): void => {
    const { stream, shown, newest } = found;
    const before = known.get(stream);
    if (before?.shown === shown && before.newest === newest) return;
    if (before === undefined && known.size >= REMEMBERED) return;
    known.set(stream, found);
    onFound(found);
  };

  /** Undefined when it cannot be compared now. */
  const compareAgain = async ({ projection, stream }: RowAhead): Promise<{ ahead: Ahead | undefined } | undefined> => {
    try {
      const shown = await revisionOf[projection]?.(entityIdOf(stream));
      if (shown === undefined) return { ahead: undefined };
      const ahead = await findAhead(store, stream, shown);
      return E.isLeft(ahead) ? undefined : { ahead: ahead.right };
    } catch {
      return undefined;
    }
  };

  const watch = async (): Promise<void> => {
    while (await clock.sleep(AGAIN_MS, stopping.signal))
      for (const found of [...known.values()]) {
        if (stopping.signal.aborted) return;
        const compared = await compareAgain(found);
        if (compared === undefined || compared.ahead !== undefined) continue;
        known.delete(found.stream);
        onGone(found);
      }
  };
  const watching = watch();

  const warningOf = (projection: string): [string, () => boolean] => [
    `history shorter than its rows: ${projection}`,
    () => [...known.values()].some((found) => found.projection === projection),
  ];

  return {
    report,
    rowsOf: (projection) => ({
      revisionOf: async (stream) => {
        try {
          return await revisionOf[projection]?.(entityIdOf(stream));
        } catch {
          // commands go on while the rows cannot be read
          return undefined;
        }
      },
      onCut: ({ stream, shown, newest }) => report({ projection, stream, shown, newest }),
    }),
    warnings: Object.fromEntries(Object.keys(revisionOf).map(warningOf)),
    stop: async () => {
      stopping.abort();
      await watching;
    },
  };
};

type Watched = {
  readonly runtime: Runtime;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly registry: Registry;
};

/** The same for every read model of a registry, with its lines in the log and its metric. */
export const watchHistories = (
  { runtime, log, metrics, registry }: Watched,
  store: EventStore,
  queries: Pick<ReadModelQueries, 'findRevision'>,
): HistoryAlarm => {
  const projections = projectionsOf(registry);
  const names = projections.map(({ name }) => name);
  const count = makeAheadCounter(metrics, names);
  const logFound = logAhead(log);
  return raiseHistoryAlarm({
    clock: runtime.clock,
    store,
    revisionOf: Object.fromEntries(
      projections.map((projection) => [projection.name, queries.findRevision(projection)]),
    ),
    onFound: (row) => {
      count(row.projection);
      logFound(row);
    },
    onGone: logAheadNoMore(log),
  });
};
