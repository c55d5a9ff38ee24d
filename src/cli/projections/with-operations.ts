import { either as E } from 'fp-ts';
import { openOperations, type Operations } from '../../../projections/engine/operations.js';
import { NoLiveRows } from '../../../projections/engine/live-instance.js';
import type { Config } from '../../config.js';
import { openStores } from '../../infrastructure/open-stores.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { tell } from '../run-command.js';

/** What Postgres answered, such as that a lock was not to be had in time. */
const isOfDatabase = (error: unknown): error is Error => error instanceof Error && 'severity' in error;

/** Opens log and read models for the time that `use` takes. */
export const withOperations = async (
  config: Config,
  use: (operations: Operations) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const quiet = (): void => undefined;
  const opened = await openStores({ config, claim: 'operator', onPostgresLog: quiet, onIncident: quiet })();
  if (E.isLeft(opened)) {
    tell(opened.left.message);
    return EXIT.failed;
  }
  const { store, readModelsUrl, close } = opened.right;
  const operations = openOperations(store, readModelsUrl);
  try {
    return await use(operations);
  } catch (error) {
    if (!(error instanceof NoLiveRows) && !isOfDatabase(error)) throw error;
    tell(error.message);
    return EXIT.failed;
  } finally {
    await operations.close();
    await close();
  }
};
