import { Argument, type Command, InvalidArgumentError } from 'commander';
import { either as E } from 'fp-ts';
import type { Config } from '../../config.js';
import type { Registry } from '../../entities/registry.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { checkpointSigner, newCheckpointKey } from '../../infrastructure/checkpoint-signer.js';
import { isKeyName, renderSigner, renderVerifier, signerOf } from '../../seal/note-key.js';
import { findRestarts, originAfter, underAnyName } from '../../sealing/restart.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, print } from '../output.js';
import { onConfiguredLog } from './with-log.js';

export const NO_KEY = 'no key for checkpoints is set (CHECKPOINT_KEY_FILE), or sealing is switched off (SEALING)';

type KeyOptions = { readonly all?: true };

const printKeys = async (store: EventStore, config: Config, { all }: KeyOptions): Promise<ExitCode> => {
  const signer = await checkpointSigner(config);
  if (E.isLeft(signer)) return failed(signer.left.message);
  if (signer.right === undefined) return failed(NO_KEY);
  const { verifier, seed } = signer.right;
  const { valid: restarts } = await findRestarts(store, verifier.name, underAnyName(verifier));
  const origins =
    all === true ? [verifier.name, ...restarts.map(({ origin }) => origin)] : [originAfter(verifier.name, restarts)];
  for (const origin of origins) {
    const named = signerOf(origin, seed);
    if (E.isLeft(named)) return failed(named.left);
    print(renderVerifier(named.right.verifier));
  }
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
    .option('--all', 'also the keys of the origins before each restart of the seal, the oldest first')
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
      const made = newCheckpointKey(name);
      // reason: the argument is the name of a key, as was just tested
      if (E.isRight(made)) print(renderSigner(made.right));
    });
};
