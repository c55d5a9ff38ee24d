import { Command, InvalidArgumentError, Option } from 'commander';
import { either as E } from 'fp-ts';
import { loadConfig } from '../config.js';
import { duration } from '../config/variables.js';
import { attempt } from '../event-sourcing/attempt.js';
import { developmentSecret } from '../infrastructure/disk/development-secret.js';
import { reasonOf } from '../event-sourcing/reason-of.js';
import { failed, print } from './output.js';
import { runProgram } from './run-program.js';
import { signToken } from './sign-token.js';
import { systemRuntime } from '../infrastructure/system-runtime.js';

const ROLES = ['viewer', 'auditor', 'editor', 'admin'];

const lifetime = (text: string): number => {
  const seconds = duration(text);
  if (E.isLeft(seconds) || seconds.right === 0)
    throw new InvalidArgumentError('A lifetime is a number and s, m, h or d, like 30m or 8h.');
  return seconds.right;
};

type Options = { readonly role: string; readonly user: string; readonly expires: number };

const printToken = async ({ role, user, expires }: Options): Promise<void> => {
  const config = loadConfig();
  if (E.isLeft(config)) {
    process.exitCode = failed(config.left.join('\n'));
    return;
  }
  const { jwt, dataDir } = config.right;
  const request = { user, roles: [role], lifetime: expires };
  const { clock, random } = systemRuntime;
  const signed = attempt(() => signToken(clock, jwt, request, () => developmentSecret(random, dataDir)), reasonOf);
  const token = E.flatten(await signed);
  if (E.isLeft(token)) process.exitCode = failed(token.left);
  else print(token.right);
};

const program = new Command('token')
  .description('prints a token for development, signed with the key that the settings of the service name')
  .addOption(new Option('--role <role>', 'what the bearer may do').choices(ROLES).default('viewer'))
  .option('--user <user>', 'the acting user (subject)', 'developer')
  .addOption(
    new Option('--expires <lifetime>', 'how long it is valid: 30m, 8h, 7d').argParser(lifetime).default(86_400, '1d'),
  )
  .action(printToken)
  .exitOverride();

await runProgram(() => program);
