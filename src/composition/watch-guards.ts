import { repeat } from '../event-sourcing/clock.js';
import type { ReadModelQueries } from '../infrastructure/postgres/read-models/make-read-model-queries.js';
import type { ServiceContext } from './service-context.js';

/** How often it looks, ms. */
const LOOK_MS = 10_000;

/** Says in every process, as a warning of `/readyz` and in its log, while a guard of the history is lifted. */
export const watchGuards = (
  { log, runtime, started }: Pick<ServiceContext, 'log' | 'runtime' | 'started'>,
  { liftedGuards }: Pick<ReadModelQueries, 'liftedGuards'>,
): Readonly<Record<string, () => boolean>> => {
  const stopping = new AbortController();
  let lifted: ReadonlyArray<string> = [];
  const look = async (): Promise<void> => {
    const found = await liftedGuards();
    if (found.length > 0 && found.join() !== lifted.join())
      log.error({ guards: found }, 'the guard of the history is lifted: its owner can change what it guards');
    lifted = found;
  };
  // while the database is away, what was found last holds
  const watching = repeat(runtime.clock, LOOK_MS, stopping.signal, () => look().catch(() => undefined));
  started.add(async () => {
    stopping.abort();
    await watching;
  });
  return { 'the guard of the history is lifted: see ops log verify': () => lifted.length > 0 };
};
