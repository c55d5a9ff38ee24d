import { type Command, InvalidArgumentError, Option } from 'commander';
import { either as E } from 'fp-ts';
import type { Config } from '../../config.js';
import { whyNotInTree } from '../../../projections/engine/generation/decisions-in-tree.js';
import { ledgerOf, type Registry } from '../../entities/registry.js';
import { orThrow } from '../../event-sourcing/attempt.js';
import { checkpointSigner } from '../../infrastructure/checkpoint-signer.js';
import { sharedEventKeys } from '../../infrastructure/event-keys.js';
import { makeLockTree } from '../../infrastructure/postgres/seal/lock-tree.js';
import { makeSealedTree } from '../../infrastructure/postgres/seal/sealed-tree-queries.js';
import { type Signer, signerOf } from '../../seal/note-key.js';
import type { CheckpointArchive } from '../../sealing/checkpoint-archive.js';
import type { LockTree } from '../../sealing/lock-tree.js';
import {
  findRestarts,
  nextOrigin,
  originAfter,
  recordRestart,
  type Restart,
  underAnyName,
} from '../../sealing/restart.js';
import { findSealFault } from '../../sealing/sign-tree.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, type JsonOption, jsonOption, printFinding } from '../output.js';
import type { ReadModels } from '../projections/with-read-models.js';
import { withReadModels } from '../projections/with-read-models.js';
import { runCommand } from '../run-command.js';
import { type UserOption, userOption } from '../user-option.js';
import { describeAppendFailure } from './describe-append-failure.js';
import { NO_KEY } from './key.js';
import { withCheckpointArchive } from '../checkpoint-archive.js';

type Options = JsonOption & UserOption & { readonly reason: string; readonly force?: true };

const LONGEST_REASON = 255;

const reasonArgument = (text: string): string => {
  if (text.trim() === '' || text.length > LONGEST_REASON)
    throw new InvalidArgumentError(`Say why, in at most ${LONGEST_REASON} characters.`);
  return text;
};

const causeOf = ({ cause }: { readonly cause: unknown }): Error =>
  cause instanceof Error ? cause : new Error('cannot be read', { cause });

/** Whether the log does not extend what was signed. */
const isCalledFor = async (
  { seed }: Signer,
  origin: string,
  archive: CheckpointArchive,
  lockTree: LockTree,
): Promise<boolean> => {
  const signer = orThrow(E.mapLeft(Error)(signerOf(origin, seed)));
  const archived = orThrow(E.mapLeft(causeOf)(await archive.largestOf(origin, -1)));
  return (await findSealFault(lockTree, signer, archived)) !== undefined;
};

const restart = async ({ store, pool, registry }: ReadModels, config: Config, options: Options): Promise<ExitCode> => {
  const [signer, eventKeys] = [await checkpointSigner(config), await sharedEventKeys(config)];
  if (E.isLeft(signer)) return failed(signer.left.message);
  if (E.isLeft(eventKeys)) return failed(eventKeys.left.message);
  if (signer.right === undefined) return failed(NO_KEY);
  const base = signer.right.verifier.name;
  const [eventKey] = eventKeys.right;
  const { valid: restarts } = await findRestarts(store, base, underAnyName(signer.right.verifier));
  const by = signer.right;
  const ledger = ledgerOf(registry);
  const tree = makeSealedTree(pool, ledger.name);
  const why = await whyNotInTree(pool, ledger);
  if (why !== undefined) return failed(`not recorded: ${why}`);
  return withCheckpointArchive(config, async (archive) => {
    const isTaken = async (origin: string): Promise<boolean> =>
      orThrow(E.mapLeft(causeOf)(await tree.newestOf(origin))) !== undefined ||
      orThrow(E.mapLeft(causeOf)(await archive.largestOf(origin, -1))) !== undefined;
    const replaced = originAfter(base, restarts);
    if (options.force !== true && !(await isCalledFor(by, replaced, archive, makeLockTree(pool, ledger.name))))
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
      at: new Date().toISOString(),
    };
    const done = await recordRestart(store, recorded, by, eventKey);
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
    .addOption(
      new Option('--reason <text>', 'why; kept in the log').argParser(reasonArgument).makeOptionMandatory(true),
    )
    .option('--force', 'also where the log extends every checkpoint')
    .addOption(userOption())
    .addOption(jsonOption('one JSON object: the new origin, the one that it replaces, and the reason'))
    .action((options: Options) =>
      runCommand((config, signal) =>
        withReadModels(config, registry, signal, (readModels) => restart(readModels, config, options)),
      ),
    );
};
