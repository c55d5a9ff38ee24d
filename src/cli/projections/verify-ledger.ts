import { either as E } from 'fp-ts';
import { attemptInEngine, type EngineFailure } from '../../../projections/engine/engine-failure.js';
import { verifyLedger } from '../../../projections/engine/verify/ledger/verify-ledger.js';
import { ledgerOf } from '../../entities/registry.js';
import { makeFaultPrinter } from '../log/log-fault-lines.js';
import { type JsonOption, printFinding, printLine } from '../output.js';
import { counted } from '../plural.js';
import { makeProgress } from '../progress.js';
import type { ReadModels } from './with-read-models.js';

/** `drifted` counts what differs; undefined when it was interrupted. */
type VerifiedLedger = { readonly checked: number; readonly drifted: number } | undefined;

/** Compares the rows of the ledger with the log, and says what to do when they differ. */
export const verifyLedgerRows = async (
  { store, storage, registry, eventKeys }: Pick<ReadModels, 'store' | 'storage' | 'registry' | 'eventKeys'>,
  options: JsonOption,
  signal: AbortSignal,
): Promise<E.Either<EngineFailure, VerifiedLedger>> => {
  const ledger = ledgerOf(registry);
  const { name } = ledger;
  const progress = makeProgress(`verifying ${name}`);
  const faults = makeFaultPrinter(options, progress.end, { projection: name });
  const compared = await attemptInEngine(() =>
    verifyLedger(storage, store, ledger, {
      keys: eventKeys,
      onFault: faults.print,
      onCompared: (events) => progress.report(events),
      signal,
    }),
  );
  progress.end();
  if (E.isLeft(compared)) return compared;
  const checked = compared.right;
  if (checked === undefined) return E.right(undefined);
  const drifted = faults.counts().reduce((sum, { count }) => sum + count, 0);
  const text =
    drifted === 0
      ? `${name}: ${counted(checked, 'event')} compared, none differs from its row`
      : `${name}: ${counted(checked, 'event')} compared, ${counted(drifted, 'difference')}; where the log is right (ops log verify), ` +
        `ops projections rebuild ${name} --switch always makes the rows anew`;
  printFinding(options, text, { projection: name, checked, drifted, ahead: 0, repaired: 0 });
  if (options.json !== true) for (const line of faults.unnamed()) printLine(line);
  return E.right({ checked, drifted });
};
