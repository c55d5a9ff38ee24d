import type { Command } from 'commander';
import { either as E, readonlyArray as RA } from 'fp-ts';
import { ledgerOf, type Registry } from '../../entities/registry.js';
import { checkpointSigners } from '../../infrastructure/checkpoint-signer.js';
import { makeLockTree } from '../../infrastructure/postgres/seal/lock-tree.js';
import { keyChangeMembers } from '../../sealing/key-change.js';
import { type NotReplaced, replaceKey } from '../../sealing/replace-key.js';
import { largestIn, withCheckpointArchive } from '../checkpoint-archive.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, type JsonOption, jsonOption, printFinding } from '../output.js';
import { counted } from '../plural.js';
import { type ReasonOption, reasonOption } from '../reason-option.js';
import { type UserOption, userOption } from '../user-option.js';
import { describeAppendFailure } from './describe-append-failure.js';
import { NO_KEY } from './key.js';
import { type DecidingLog, onDecidingLog } from './on-deciding-log.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

type Options = JsonOption & UserOption & ReasonOption;

const whyNot = (failure: NotReplaced): string => {
  if (failure._tag === 'NoKeys') return failure.reason;
  if (failure._tag !== 'Fault') return describeAppendFailure(failure);
  const { origin, signed, _tag } = failure.fault;
  return _tag === 'Foreign'
    ? `the checkpoint of ${counted(signed, 'event')} of ${origin} is not signed by the first key of CHECKPOINT_KEY, nor by one before it: put the key that signs now first`
    : `the log does not extend the checkpoint of ${counted(signed, 'event')} of ${origin} (ops log verify says what is wrong)`;
};

const replace = async (log: DecidingLog, options: Options): Promise<ExitCode> => {
  const { store, pool, registry, config, keys } = log;
  const signers = await checkpointSigners(systemRuntime.random, config);
  if (E.isLeft(signers)) return failed(signers.left.message);
  const { right: own } = signers;
  if (!RA.isNonEmpty(own)) return failed(NO_KEY);
  return withCheckpointArchive(config, async (archive) => {
    const replaced = await replaceKey(makeLockTree(pool, ledgerOf(registry).name), store, {
      runtime: systemRuntime,
      signers: own,
      because: { reason: options.reason, actor: options.user, at: systemRuntime.clock.date().toISOString() },
      findLargest: largestIn(archive),
      eventKey: keys[0],
    });
    if (replaced === undefined) return failed('not recorded: there is no ledger yet: start the service first');
    if (E.isLeft(replaced)) return failed(`not recorded: ${whyNot(replaced.left)}`);
    const change = keyChangeMembers(replaced.right);
    printFinding(
      options,
      `recorded: checkpoints of ${change.origin} are signed by ${change.key} from now on; ${change.replaced} has signed the first ${counted(change.size, 'event')}, and nothing more`,
      change,
    );
    return EXIT.ok;
  });
};

export const addReplaceKey = (log: Command, registry: Registry): void => {
  log
    .command('replace-key')
    .description(
      'records in the sealed tree that the new key in CHECKPOINT_KEY signs checkpoints in place of the one before it. Both\n' +
        'sign that, so that whoever has one of the two knows the other (ops log key --changes). First put the new key\n' +
        '(ops log new-key) on a line behind the old one, for every process; afterwards take the old one out',
    )
    .addOption(reasonOption())
    .addOption(userOption())
    .addOption(jsonOption('one JSON object: both keys, how many events the old one has signed, and the reason'))
    .action((options: Options) => onDecidingLog(registry, (log) => replace(log, options)));
};
