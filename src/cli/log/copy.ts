import { type Command, Option } from 'commander';
import { either as E } from 'fp-ts';
import type { Move } from '../../../projections/engine/postgres/move-to-copy.js';
import type { Config } from '../../config.js';
import { orThrow } from '../../event-sourcing/attempt.js';
import { copyLog, type Copied } from '../../event-sourcing/whole-log/copy-log.js';
import type { OpenLog } from '../../infrastructure/open-stores.js';
import type { Registry } from '../../entities/registry.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, interrupted, type JsonOption, jsonOption, printFinding, printNote } from '../output.js';
import { counted } from '../plural.js';
import { makePhases } from '../progress.js';
import { runCommand } from '../run-command.js';
import { describeCopy, describeCopyFailure, type Route, stepsAfterCutOver, stepsToCutOver } from './copy-report.js';
import { withEncryptedTarget, withKeysBrought } from './keys-of-copy.js';
import { type GivenLocation, isSameLocation, locate, locationArgument, nameLocation } from './location.js';
import { keepsReadModels, type Logs, withMove } from './move-read-models.js';
import { shareOfLog } from './share-of-log.js';
import { type UserOption, userOption } from '../user-option.js';
import { vouchForBrought, type Vouched } from './vouch-for-brought.js';
import { withLog } from './with-log.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

type Options = JsonOption &
  UserOption & {
    readonly from?: GivenLocation;
    readonly to?: GivenLocation;
    readonly follow?: true;
    readonly cutOver?: true;
    readonly encrypt?: true;
  };

const copy = async (
  { log: source }: OpenLog,
  { log: target }: OpenLog,
  { follow }: Options,
  signal: AbortSignal,
  onEvent: Move['onEvent'],
): Promise<Copied | undefined> => {
  const share = await shareOfLog(source);
  // a target with events and without the mark may be whole, from an earlier run
  if (orThrow(await target.head()) === undefined) orThrow(await target.markRestore('begun'));
  const { report: reportPhase, end } = makePhases();
  const copied = await copyLog(source, target, {
    runtime: systemRuntime,
    follow: follow === true,
    signal,
    onPair: (one, other) => onEvent(one, other.position),
    onProgress: (phase, events, reached) => reportPhase(phase, events, share(reached)),
  }).finally(end);
  if (E.isRight(copied)) {
    if (copied.right.isComplete && orThrow(await target.isBeingRestored())) orThrow(await target.markRestore('ended'));
    return copied.right;
  }
  printNote(describeCopyFailure(copied.left));
  return undefined;
};

const NOT_ASKED: Vouched = { withoutMac: undefined, lines: [], isDone: true };

const report = (
  route: Route,
  copied: Copied,
  steps: string,
  options: JsonOption,
  { withoutMac, lines, isDone } = NOT_ASKED,
): ExitCode => {
  const { isComplete, ...counts } = copied;
  if (!isComplete) return interrupted(`${counted(copied.copied, 'event')}: give the same command again to continue`);
  printFinding(options, [describeCopy(copied), ...lines, '', ...steps.split('\n')], {
    ...counts,
    to: nameLocation(route.to),
    withoutMac: withoutMac ?? null,
  });
  return isDone ? EXIT.ok : EXIT.failed;
};

/** `sayBegun`: says in the target that it is encrypted, where the copy has keys of its own. */
const cutOver = (
  config: Config,
  registry: Registry,
  route: Route,
  logs: Logs,
  options: Options,
  signal: AbortSignal,
  sayBegun?: () => Promise<void>,
): Promise<ExitCode> =>
  withMove(config, registry, route.to, logs, async (move) => {
    const copied = await copy(...logs, options, signal, move.onEvent);
    if (copied === undefined) return EXIT.failed;
    if (!copied.isComplete) return report(route, copied, '', options);
    if (!copied.isLevel)
      return failed('the source has new events: stop every process of the service, then give the same command again');
    const end = async (): Promise<ExitCode> => {
      const moved = await move.commit();
      if (E.isLeft(moved)) return failed(`not cut over: ${moved.left.message}`);
      const steps = stepsAfterCutOver(route, moved.right, keepsReadModels(config, route.to), options.encrypt === true);
      // only now: until then the copy has to be what the source is, so that it can go on
      await sayBegun?.();
      return report(route, copied, steps, options, await vouchForBrought(logs[1].log, registry, config, options.user));
    };
    return sayBegun === undefined ? withKeysBrought(config, logs, end) : end();
  });

const run = async (config: Config, registry: Registry, options: Options, signal: AbortSignal): Promise<ExitCode> => {
  const route = { from: locate(options.from, config), to: locate(options.to, config) };
  if (isSameLocation(route.from, route.to)) {
    printNote(
      `--from and --to are the same log, ${nameLocation(route.from)}; the one that is not given is the configured log`,
    );
    return EXIT.usage;
  }
  if (options.encrypt === true && !config.erasure) {
    printNote('--encrypt needs ERASURE and ERASURE_KEY, as a service with the copy will have them');
    return EXIT.usage;
  }
  const copyBetween = async (logs: Logs, sayBegun?: () => Promise<void>): Promise<ExitCode> => {
    if (options.cutOver === true) return cutOver(config, registry, route, logs, options, signal, sayBegun);
    const copied = await copy(...logs, options, signal, () => undefined);
    if (copied === undefined) return EXIT.failed;
    return report(route, copied, stepsToCutOver(route, options.encrypt === true), options);
  };
  return withLog(route.from, registry, (source) =>
    withLog(
      route.to,
      registry,
      (target) =>
        options.encrypt === true
          ? withEncryptedTarget(config, registry, [source, target], copyBetween)
          : copyBetween([source, target]),
      'is restored',
    ),
  );
};

export const addCopy = (log: Command, registry: Registry): void => {
  log
    .command('copy')
    .description(
      'copies the log into another store, with ids, revisions, times and hashes, and verifies all of it there\n' +
        '(continues an earlier run; the service may keep running on the source)',
    )
    .option(
      '--from <log>',
      'esdb:// or kurrentdb://…, postgres://… or embedded; default: the configured one',
      locationArgument,
    )
    .option('--to <log>', 'the same; an empty log, or the unfinished copy of an earlier run', locationArgument)
    .option('--until-caught-up', 'end when everything is copied (default)')
    .addOption(new Option('--follow', 'keep copying new events, until Ctrl-C').conflicts(['untilCaughtUp', 'cutOver']))
    .option(
      '--cut-over',
      'with the service stopped: also move the read models to the copy; where an event key is set, record in it how many events have no mac',
    )
    .option(
      '--encrypt',
      'encrypt the data in the copy, also what is in clear in the source, as a service with the same ERASURE and ERASURE_KEY does',
    )
    .addOption(userOption())
    .addOption(jsonOption('one JSON object: the counts'))
    .action((options: Options) => runCommand((config, signal) => run(config, registry, options, signal)));
};
