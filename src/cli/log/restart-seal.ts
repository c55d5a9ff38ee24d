import type { Command } from 'commander';
import { either as E, readonlyArray as RA } from 'fp-ts';
import { ledgerOf, type Registry } from '../../entities/registry.js';
import { checkpointSigners } from '../../infrastructure/checkpoint-signer.js';
import { makeLockTree } from '../../infrastructure/postgres/seal/lock-tree.js';
import { makeSealedTree } from '../../infrastructure/postgres/seal/sealed-tree-queries.js';
import type { CheckpointArchive } from '../../sealing/checkpoint-archive.js';
import type { LockTree } from '../../sealing/lock-tree.js';
import { nextOrigin, recordRestart, type Restart } from '../../sealing/restart.js';
import { type SealHistory, sealInForce } from '../../sealing/seal-history.js';
import { findSealFault } from '../../sealing/sign-tree.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, type JsonOption, jsonOption, printFinding } from '../output.js';
import { type ReasonOption, reasonOption } from '../reason-option.js';
import { type UserOption, userOption } from '../user-option.js';
import { describeAppendFailure } from './describe-append-failure.js';
import { NO_KEY } from './key.js';
import { type DecidingLog, onDecidingLog } from './on-deciding-log.js';
import { checkpointOrThrow, largestIn, withCheckpointArchive } from '../checkpoint-archive.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

type Options = JsonOption & UserOption & ReasonOption & { readonly force?: true };

/** Whether the log does not extend what was signed. */
const isCalledFor = async (history: SealHistory, archive: CheckpointArchive, lockTree: LockTree): Promise<boolean> => {
  const archived = await largestIn(archive)(history.origin);
  return (await findSealFault(lockTree, history, archived)) !== undefined;
};

const restart = async (log: DecidingLog, options: Options): Promise<ExitCode> => {
  const { store, pool, registry, config, keys } = log;
  const signers = await checkpointSigners(systemRuntime.random, config);
  if (E.isLeft(signers)) return failed(signers.left.message);
  if (!RA.isNonEmpty(signers.right)) return failed(NO_KEY);
  const base = signers.right[0].verifier.name;
  const seal = await sealInForce(signers.right, store);
  if (E.isLeft(seal)) return failed(`not recorded: ${seal.left.message}`);
  const { signer, history } = seal.right;
  const { origin: replaced, restarts } = history;
  const { name } = ledgerOf(registry);
  const tree = makeSealedTree(pool, name);
  return withCheckpointArchive(config, async (archive) => {
    const isTaken = async (origin: string): Promise<boolean> =>
      checkpointOrThrow(await tree.newestOf(origin)) !== undefined || (await largestIn(archive)(origin)) !== undefined;
    if (options.force !== true && !(await isCalledFor(history, archive, makeLockTree(pool, name))))
      return failed(
        `not recorded: the tree extends every checkpoint of ${replaced}, so that nothing calls for another origin; ` +
          'it would only set the old checkpoints aside, which are what shows a change (--force does it all the same). ' +
          'After a restore, start the service first: it makes the tree of the log that is there',
      );
    const recorded: Restart = {
      origin: await nextOrigin(base, restarts, isTaken),
      replaced,
      reason: options.reason,
      actor: options.user,
      at: systemRuntime.clock.date().toISOString(),
    };
    const done = await recordRestart(systemRuntime, store, recorded, signer, keys[0]);
    if (E.isLeft(done)) return failed(`not recorded: ${describeAppendFailure(done.left)}`);
    printFinding(
      options,
      `recorded: checkpoints are signed as ${recorded.origin} from now on; those of ${recorded.replaced} stay`,
      recorded,
    );
    return EXIT.ok;
  });
};

export const addRestartSeal = (log: Command, registry: Registry): void => {
  log
    .command('restart-seal')
    .description(
      'records in the sealed tree that checkpoints begin anew under another origin: after the log was restored from a\n' +
        'backup and lacks events that were signed. The old checkpoints stay, and `log verify` names them. Hand the new\n' +
        'key (ops log key) to those who have the old one, and tell them why',
    )
    .addOption(reasonOption())
    .option('--force', 'also where the log extends every checkpoint')
    .addOption(userOption())
    .addOption(jsonOption('one JSON object: the new origin, the one that it replaces, and the reason'))
    .action((options: Options) => onDecidingLog(registry, (log) => restart(log, options)));
};
