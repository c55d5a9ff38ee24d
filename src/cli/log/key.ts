import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { either as E } from 'fp-ts';
import type { Config } from '../../config.js';
import type { Registry } from '../../entities/registry.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { checkpointSigners, newCheckpointKey } from '../../infrastructure/checkpoint-signer.js';
import { isKeyName, renderSigner, renderVerifier } from '../../seal/note-key.js';
import { renderKeyChanges } from '../../sealing/key-change.js';
import { changesInForce, findSealHistory } from '../../sealing/seal-history.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, print, printNote } from '../output.js';
import { onConfiguredLog } from './with-log.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

export const NO_KEY = 'no key for checkpoints is set (CHECKPOINT_KEY_FILE), or sealing is switched off (SEALING)';

type KeyOptions = { readonly all?: true; readonly changes?: true };

const printKeys = async (store: EventStore, config: Config, { all, changes }: KeyOptions): Promise<ExitCode> => {
  const signers = await checkpointSigners(systemRuntime.random, config);
  if (E.isLeft(signers)) return failed(signers.left.message);
  const [first] = signers.right;
  if (first === undefined) return failed(NO_KEY);
  const history = await findSealHistory(store, first.verifier);
  const { origin, key, keys } = history;
  if (changes === true) {
    const ofOrigin = changesInForce(history);
    if (ofOrigin.length === 0) printNote(`no key of the origin ${origin} was replaced`);
    else print(renderKeyChanges(ofOrigin).replace(/\n$/, ''));
    return EXIT.ok;
  }
  for (const one of all === true ? keys.map(({ verifier }) => verifier) : [key]) print(renderVerifier(one));
  return EXIT.ok;
};

const origin = (text: string): string => {
  if (!isKeyName(text)) throw new InvalidArgumentError('It must not be empty, and has no space and no plus.');
  return text;
};

export const addKey = (log: Command, registry: Registry): void => {
  log
    .command('key')
    .description(
      'prints the key that checkpoints are verified with (one line: origin+id+key), to be handed to auditors by a way\n' +
        'that does not lead through the database',
    )
    .option('--all', 'all keys there were under all origins, the oldest first: before each restart, and each change')
    .addOption(
      new Option(
        '--changes',
        'the changes of the key, each signed by both keys: with them, verify.py and verify.html know by any key of the\n' +
          'origin what any other has signed (--key-changes)',
      ).conflicts('all'),
    )
    .action((options: KeyOptions) =>
      onConfiguredLog(registry, (store, _, config) => printKeys(store, config, options)),
    );
};

export const addNewKey = (log: Command): void => {
  log
    .command('new-key')
    .addArgument(
      new Argument('<origin>', 'what checkpoints are signed as: a name like log.example.com/records').argParser(origin),
    )
    .description('prints a new secret key to sign checkpoints with, for CHECKPOINT_KEY_FILE; nothing keeps it')
    .action((name: string) => {
      const made = newCheckpointKey(systemRuntime.random, name);
      // reason: the argument is the name of a key, as was just tested
      if (E.isRight(made)) print(renderSigner(made.right));
    });
};
