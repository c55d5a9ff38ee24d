import { either as E } from 'fp-ts';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../src/infrastructure/embedded/embedded-postgres.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

/** For arranging: the Postgres of a data directory, as an operator’s process uses it. Throws when it does not start. */
export const openEmbedded = async (
  dataDir: string,
  options: Pick<EmbeddedPostgresOptions, 'settings'> = {},
): Promise<EmbeddedPostgres> => {
  const started = await startEmbeddedPostgres({
    runtime: systemRuntime,
    dataDir,
    processKind: 'operator',
    onLog: () => undefined,
    ...options,
  });
  if (E.isLeft(started)) throw new Error(started.left.message);
  return started.right;
};
