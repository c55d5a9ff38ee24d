import { either as E } from 'fp-ts';
import type { ErasePorts, Step } from '../../application/erasure/erase.js';
import type { Registry } from '../../entities/registry.js';
import type { KeyControl } from '../../infrastructure/open-encryption.js';
import { openStorage } from '../../infrastructure/open-storage.js';
import { makeErasedRows } from '../../infrastructure/postgres/erasure/erased-rows.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';
import type { ExitCode } from '../exit-code.js';
import { type DecidingLog, onDecidedLog, onDecidingLog } from '../log/on-deciding-log.js';
import { failed } from '../output.js';
import { makeErasePorts } from './erase-ports.js';

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

/** The ports of an erasure, for as long as `use` takes. */
export const withErasePorts = async (
  log: ErasableLog,
  onStep: (step: Step) => void,
  use: (ports: ErasePorts) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const storage = await openStorage(log.config, { runtime: systemRuntime, mustExist: true });
  if (E.isLeft(storage)) return failed(storage.left.message);
  const reached = { ...log, runtime: systemRuntime, rows: makeErasedRows(log.pool), files: storage.right };
  try {
    return await use(makeErasePorts(reached, onStep));
  } finally {
    await storage.right.space?.stop();
  }
};
