import type { Command } from 'commander';
import { either as E } from 'fp-ts';
import type { Registry } from '../../entities/registry.js';
import type { AppendRejected, StoreUnavailable } from '../../event-sourcing/event-store.js';
import { type Sealing, sealDecisions } from '../../event-sourcing/operators/seal-decisions.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, type JsonOption, jsonOption, printFinding, printNote } from '../output.js';
import { counted } from '../plural.js';
import { type UserOption, userOption } from '../user-option.js';
import { describeAppendFailure } from './describe-append-failure.js';
import { type DecidingLog, onDecidingLog } from './on-deciding-log.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

type Options = JsonOption & UserOption;

type Outcome = { readonly recorded: number; readonly left: number; readonly exitCode: ExitCode };

/** Records decisions again, and names those that it left. */
export const sealUnsealed = async (
  store: DecidingLog['store'],
  sealing: Sealing,
): Promise<E.Either<AppendRejected | StoreUnavailable, Outcome>> => {
  const sealed = await sealDecisions(systemRuntime, store, sealing);
  if (E.isLeft(sealed)) return sealed;
  const { recorded, left } = sealed.right;
  for (const { event, reason } of left)
    printNote(`not recorded again: ${event.stream}, revision ${event.revision}, event ${event.id}: ${reason}`);
  return E.right({ recorded, left: left.length, exitCode: left.length === 0 ? EXIT.ok : EXIT.failed });
};

const seal = async ({ store, keys }: DecidingLog, options: Options): Promise<ExitCode> => {
  const sealed = await sealUnsealed(store, {
    actor: options.user,
    at: systemRuntime.clock.date(),
    keys,
    withoutMac: false,
  });
  if (E.isLeft(sealed)) return failed(`not recorded: ${describeAppendFailure(sealed.left)}`);
  const { recorded, left, exitCode } = sealed.right;
  const text =
    recorded + left === 0
      ? 'nothing to record: every decision is in the tree'
      : `recorded again, in the tree: ${counted(recorded, 'decision')}`;
  printFinding(options, text, { recorded, left });
  return exitCode;
};

export const addSealDecisions = (log: Command, registry: Registry): void => {
  log
    .command('seal-decisions')
    .description(
      'records the decisions of operators that earlier versions kept outside of the sealed tree in it again, with who\n' +
        'decided, and when: nobody can remove them unseen after that. Processes of earlier versions sign nothing from then on',
    )
    .addOption(userOption())
    .addOption(jsonOption('one JSON object: how many were recorded, and how many were left'))
    .action((options: Options) => onDecidingLog(registry, (log) => seal(log, options)));
};
