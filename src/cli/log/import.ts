import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { either as E } from 'fp-ts';
import { orThrow } from '../../event-sourcing/attempt.js';
import {
  checkExport,
  importLog,
  type Imported,
  type NotEmpty,
  requireEmpty,
} from '../../event-sourcing/whole-log/import-log.js';
import type { AppendFailure } from '../../event-sourcing/event-store.js';
import type { LogTarget } from '../../event-sourcing/whole-log/log-target.js';
import type { BrokenLine } from '../../event-sourcing/whole-log/lines.js';
import type { Config } from '../../config.js';
import { findEncryptionBegun } from '../../event-sourcing/encryption/encryption-begun.js';
import { sharedEventKeys } from '../../infrastructure/event-keys.js';
import type { Registry } from '../../entities/registry.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { describeAppendFailure } from './describe-append-failure.js';
import { failed, interrupted, type JsonOption, jsonOption, printFinding } from '../output.js';
import { counted } from '../plural.js';
import { makeProgress } from '../progress.js';
import { type UserOption, userOption } from '../user-option.js';
import { vouchForBrought } from './vouch-for-brought.js';
import { runCommand } from '../run-command.js';
import { withConfiguredLog } from './with-log.js';
import type { KeyControl } from '../../infrastructure/open-encryption.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

type Options = JsonOption & UserOption;

/** `stored`: how many events of the export are known to be in the log. */
const describe = (failure: BrokenLine | NotEmpty | AppendFailure, stored: number): string => {
  if (failure._tag !== 'NotEmpty' && stored > 0)
    return `the import ended early: ${reasonFor(failure)}. ${hasStored(failure, stored)}`;

  switch (failure._tag) {
    case 'BrokenLine':
      return `not imported: ${failure.message}`;
    case 'NotEmpty':
      return `not imported: the log is not empty, it holds events up to position ${failure.newest}`;
    case 'AppendRejected':
    case 'RevisionConflict':
    case 'StoreUnavailable':
      return `import ended: ${describeAppendFailure(failure)}`;
  }
};

const reasonFor = (failure: BrokenLine | AppendFailure): string =>
  failure._tag === 'BrokenLine' ? failure.message : describeAppendFailure(failure);

/** Of a batch that the log did not take to its end, some events may be there. */
const hasStored = ({ _tag }: BrokenLine | AppendFailure, stored: number): string =>
  `The log has the first ${counted(stored, 'event')} of the export${_tag === 'BrokenLine' ? '' : ' and perhaps some more'}, and an import does not go on: repeat it into an empty log`;

type Outcome = E.Either<BrokenLine | NotEmpty | AppendFailure, Imported>;

type Run = (onBatch: (events: number, read: number) => void) => Promise<Outcome>;

const watch = async (what: string, size: number | undefined, run: Run): Promise<Outcome> => {
  const progress = makeProgress(what);
  try {
    return await run((events, read) => progress.report(events, size === undefined ? undefined : read / size));
  } finally {
    progress.end();
  }
};

/** A file is read twice, so that nothing of a broken one is stored; standard input can be read only once. */
const importFrom = async (
  target: LogTarget,
  file: string | undefined,
  onStored: (events: number) => void,
  signal: AbortSignal,
): Promise<Outcome> => {
  const store = (chunks: AsyncIterable<Uint8Array>, size: number | undefined): Promise<Outcome> =>
    watch('importing', size, (onBatch) => {
      const onCopied = (events: number, read: number): void => {
        onStored(events);
        onBatch(events, read);
      };
      return importLog(target, chunks, { runtime: systemRuntime, onBatch: onCopied, signal });
    });
  if (file === undefined) return store(process.stdin, undefined);
  const { size } = await stat(file);
  const empty = await requireEmpty(target);
  if (E.isLeft(empty)) return empty;
  const checked = await watch('checking', size, (onBatch) =>
    checkExport(createReadStream(file), { random: systemRuntime.random, onBatch, signal }),
  );
  if (E.isLeft(checked) || !checked.right.isComplete) return checked;
  return store(createReadStream(file), size);
};

type Target = { readonly log: LogTarget; readonly keyControl: KeyControl | undefined };

const STILL_ENCRYPTED =
  'the log that was exported says that its data is encrypted, and so the service would not start: set ERASURE, and repeat the import into an empty log';

/** Of a log whose data is encrypted here, and of one where it was. Left: why nobody could work on it. */
const sayEncrypted = async ({ log, keyControl }: Target, config: Config): Promise<E.Either<string, void>> => {
  if (keyControl !== undefined) {
    await keyControl.sayBegun();
    return E.right(undefined);
  }
  const keys = orThrow(await sharedEventKeys(systemRuntime.random, config));
  return (await findEncryptionBegun(log, keys)) === undefined ? E.right(undefined) : E.left(STILL_ENCRYPTED);
};

const importInto = async (
  { log: target, keyControl }: Target,
  registry: Registry,
  config: Config,
  file: string | undefined,
  options: Options,
  signal: AbortSignal,
): Promise<ExitCode> => {
  let stored = 0;
  const onStored = (events: number): void => {
    stored = events;
  };
  const outcome = await importFrom(target, file, onStored, signal);
  if (E.isLeft(outcome)) {
    // nothing was stored: the log is as empty as it was, for the next import
    if (outcome.left._tag === 'BrokenLine' && stored === 0 && orThrow(await target.isBeingRestored()))
      orThrow(await target.markRestore('ended'));
    return failed(describe(outcome.left, stored));
  }
  const { events, streams, isComplete } = outcome.right;
  if (!isComplete)
    return interrupted(`${counted(events, 'event')}: the import is not complete; repeat it into an empty log`);
  const said = await sayEncrypted({ log: target, keyControl }, config);
  if (E.isLeft(said)) return failed(said.left);
  const { withoutMac, lines, isDone } = await vouchForBrought(target, registry, config, options.user);
  const text = `imported ${counted(events, 'event')} in ${counted(streams, 'stream')}`;
  printFinding(options, [text, ...lines], { events, streams, withoutMac: withoutMac ?? null });
  return isDone ? EXIT.ok : EXIT.failed;
};

export const addImport = (log: Command, registry: Registry): void => {
  log
    .command('import')
    .argument('[file]', 'what `log export` wrote; without it, standard input')
    .description(
      'stores an export into an empty log, ids, revisions, times and hashes as they were, and verifies every chain\n' +
        '(a file is checked to its end before anything is stored; standard input is checked while it comes).\n' +
        'Where an event key is set, it records in the log how many events came without a mac',
    )
    .addOption(userOption())
    .addOption(jsonOption('one JSON object: the counts'))
    .action((file: string | undefined, options: Options) =>
      runCommand((config, signal) =>
        withConfiguredLog(
          config,
          registry,
          ({ log, keyControl }) => importInto({ log, keyControl }, registry, config, file, options, signal),
          'is made',
        ),
      ),
    );
};
