import type { Command } from 'commander';
import { sealedBy } from '../../../projections/ledger.js';
import { BackupFault } from '../../backup/backup-fault.js';
import { readManifest } from '../../backup/backup-place.js';
import { eventOf } from '../../backup/manifest.js';
import { type VerifiedBackup, verifyBackup } from '../../backup/verify-backup.js';
import type { Config } from '../../config.js';
import { ledgerOf, type Registry } from '../../entities/registry.js';
import { openBackup } from '../../infrastructure/disk/backup-directory.js';
import type { ExitCode } from '../exit-code.js';
import { failed, interrupted, jsonOption, printNote } from '../output.js';
import { counted } from '../plural.js';
import { makeProgress } from '../progress.js';
import { runCommand } from '../run-command.js';
import { userOption } from '../user-option.js';
import { openBackedUpKeys } from './backed-up-keys.js';
import { readLaterErasures } from './carry-out-erasures.js';
import { printUnfit } from './print-unfit.js';
import { withInstallation } from './restore-target.js';
import { printBackupFinding } from './verify.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';
import { type Backup, type Options, restoreInto } from './restore-into.js';

type WithoutSecrets = { readonly withoutSecrets?: true };

/** All of the backup: nothing of one that is not whole is stored. What its manifest says that it lacks is no fault. */
const check = async (
  { place, manifest, keys: { open } }: Backup,
  registry: Registry,
  options: Options,
  signal: AbortSignal,
): Promise<Pick<VerifiedBackup, 'events' | 'faults' | 'isComplete'>> => {
  const progress = makeProgress('checking');
  const known = new Set(manifest.lacking.map(eventOf));
  let lacking = 0;
  try {
    const { faults, ...checked } = await verifyBackup(place, manifest, {
      random: systemRuntime.random,
      keys: [],
      open,
      isSealed: sealedBy(ledgerOf(registry)),
      withFiles: true,
      withSecrets: options.secrets,
      onFinding: (finding) => {
        if ('stream' in finding && known.has(eventOf(finding))) {
          lacking += 1;
          return;
        }
        progress.end();
        printBackupFinding(finding, options);
      },
      onEvents: (events) => progress.report(events, events / manifest.events),
      signal,
    });
    return { ...checked, faults: faults - lacking };
  } finally {
    progress.end();
  }
};

const restore = async (
  directory: string,
  config: Config,
  registry: Registry,
  options: Options,
  signal: AbortSignal,
): Promise<ExitCode> => {
  try {
    const place = await openBackup(directory, { runtime: systemRuntime, onUnfit: printUnfit(directory) });
    const manifest = await readManifest(place);
    const later = await readLaterErasures(options.erasures, place, manifest, config);
    const keys = await openBackedUpKeys(place, manifest, config, registry, later.places);
    const backup = { directory, place, manifest, keys, later };
    if (!backup.manifest.isComplete) printNote('the last backup was interrupted: what it had by then is restored');
    const checked = await check(backup, registry, options, signal);
    if (!checked.isComplete)
      return interrupted(`${counted(checked.events, 'event')} were checked; nothing is restored`);
    if (checked.faults > 0) return failed(`not restored: the backup has ${counted(checked.faults, 'fault')}`);
    return await withInstallation(config, registry, (installation) =>
      restoreInto(backup, installation, { config, registry, options }, signal),
    );
  } catch (error) {
    if (error instanceof BackupFault) return failed(`not restored from ${directory}: ${error.message}`);
    throw error;
  }
};

export const addRestore = (program: Command, registry: Registry): void => {
  program
    .command('restore')
    .argument('<directory>', 'what `ops backup` made')
    .description(
      'restores a backup into a new installation, which the settings name and of which no service has run yet: events,\n' +
        'files and checkpoints as they were, and the secrets that settings do not give. The backup is verified first, and\n' +
        'the events are read again afterwards. A restore that was interrupted goes on when it is repeated',
    )
    .option(
      '--replace',
      'the old installation is gone, and this one signs checkpoints in its place; without it, they have an origin of their own',
    )
    .option(
      '--without-secrets',
      'leave DATA_DIR without the secrets of the backup: settings give them, or new ones are made',
    )
    .option(
      '--erasures <file>',
      'what `ops erase list --json` printed, kept elsewhere: what was erased after the backup is erased here, too',
    )
    .addOption(userOption())
    .addOption(jsonOption('one JSON object a line: each finding, then the counts'))
    .action((directory: string, given: Omit<Options, 'secrets'> & WithoutSecrets) =>
      runCommand((config, signal) =>
        restore(directory, config, registry, { ...given, secrets: given.withoutSecrets !== true }, signal),
      ),
    );
};
