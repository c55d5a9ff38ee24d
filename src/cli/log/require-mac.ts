import type { Command } from 'commander';
import { either as E } from 'fp-ts';
import { sealedBy } from '../../../projections/ledger.js';
import { ledgerOf, type Registry } from '../../entities/registry.js';
import { findMacRequired, requireMac } from '../../event-sourcing/operators/require-mac.js';
import { type SurveyedMacs, surveyMacs } from '../../event-sourcing/operators/survey-macs.js';
import type { ExitCode } from '../exit-code.js';
import { failed, interrupted, type JsonOption, jsonOption, printFinding } from '../output.js';
import { counted } from '../plural.js';
import { makeProgress } from '../progress.js';
import { type UserOption, userOption } from '../user-option.js';
import { describeAppendFailure } from './describe-append-failure.js';
import { type DecidingLog, onDecidingLog } from './on-deciding-log.js';
import { sealUnsealed } from './seal-decisions.js';
import { shareOfLog } from './share-of-log.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

type Options = JsonOption & UserOption & { readonly force?: true };

/** Why it is not for this command to say that these events are right: they came when others had a mac. */
const suspects = ({ behind, firstBehind }: SurveyedMacs): string | undefined => {
  if (firstBehind === undefined) return undefined;
  const { stream, revision, id } = firstBehind;
  return (
    `not recorded: ${counted(behind, 'event')} without a mac ${behind === 1 ? 'stands' : 'stand'} behind events that have one; ` +
    `the first is ${stream}, revision ${revision}, event ${id}. ` +
    'Somebody may have put them there who has no key: look at each (ops log verify names them), then --force says that they are right'
  );
};

const require = async (
  { store, registry, keys }: DecidingLog,
  options: Options,
  signal: AbortSignal,
): Promise<ExitCode> => {
  const [newest] = keys;
  if (newest === undefined) return failed('not recorded: no key is set (EVENT_KEY_FILE), so no event gets a mac');
  const progress = makeProgress('reading');
  const share = await shareOfLog(store);
  const macs = await surveyMacs(store, {
    isSealed: sealedBy(ledgerOf(registry)),
    onPage: (events, reached) => progress.report(events, share(reached)),
    signal,
  });
  progress.end();
  if (macs === undefined) return interrupted('0 decisions: nothing was recorded');
  const suspect = options.force === true ? undefined : suspects(macs);
  if (suspect !== undefined) return failed(suspect);

  const by = { actor: options.user, at: systemRuntime.clock.date() };
  const decisions = await sealUnsealed(store, { ...by, keys, withoutMac: true });
  if (E.isLeft(decisions)) return failed(`not recorded: ${describeAppendFailure(decisions.left)}`);
  const { sealed, withoutMac, from, indexOf } = macs;
  const counts = { events: sealed, withoutMac, decisions: decisions.right.recorded };
  if (from === 0) {
    const none = { stream: null, revision: null, id: null, isNew: false, from: 0 };
    printFinding(options, 'nothing to record: every event of the tree has a mac, and must have one', {
      ...none,
      ...counts,
    });
    return decisions.right.exitCode;
  }
  const recorded = await requireMac(systemRuntime, store, { ...by, from, indexOf }, newest, keys);
  if (E.isLeft(recorded)) return failed(`not recorded: ${describeAppendFailure(recorded.left)}`);
  const required = await findMacRequired(store, keys, indexOf);
  if (required === undefined) return failed('the log does not show what was recorded: give the same command again');
  const { stream, id } = required.event;
  const revision = required.event.revision.toString();
  const when = recorded.right ? 'recorded' : 'recorded before';
  printFinding(
    options,
    `${when}: ${stream}, revision ${revision}, event ${id}; of ${counted(sealed, 'event')}, ${withoutMac} without a mac, and from index ${required.from} on every one must have one`,
    { stream, revision, id, isNew: recorded.right, from: required.from, ...counts },
  );
  return decisions.right.exitCode;
};

export const addRequireMac = (log: Command, registry: Registry): void => {
  log
    .command('require-mac')
    .description(
      'records in the sealed tree that the events without a mac that are there are right, and that every event behind the\n' +
        'last of them must have one: `log verify` names all others. For a log that is older than its event key; verify the\n' +
        'log before, and give it once every process of the service has the key (EVENT_KEY_FILE)',
    )
    .option('--force', 'also for events without a mac that stand behind events with one')
    .addOption(userOption())
    .addOption(jsonOption('one JSON object: the event that says so, and counts'))
    .action((options: Options) => onDecidingLog(registry, (log, signal) => require(log, options, signal)));
};
