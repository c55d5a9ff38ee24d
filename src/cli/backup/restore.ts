import type { Command } from 'commander';
import { either as E } from 'fp-ts';
import { sealedBy } from '../../../projections/ledger.js';
import { BackupFault } from '../../backup/backup-fault.js';
import { type BackupPlace, readManifest } from '../../backup/backup-place.js';
import { eventOf, type Lacking, type Manifest } from '../../backup/manifest.js';
import { isRestoredAsCopy, restoreBackup, type Restored } from '../../backup/restore-backup.js';
import { readSecrets } from '../../backup/secrets.js';
import { type VerifiedBackup, verifyBackup } from '../../backup/verify-backup.js';
import type { Config } from '../../config.js';
import { ledgerOf, type Registry } from '../../entities/registry.js';
import { orThrow } from '../../event-sourcing/attempt.js';
import type { CopyFailure } from '../../event-sourcing/whole-log/copy-log.js';
import type { LogTarget } from '../../event-sourcing/whole-log/log-target.js';
import { makeCheckpointArchive } from '../../infrastructure/checkpoints/checkpoint-archive.js';
import { makeTimestampArchive } from '../../infrastructure/checkpoints/timestamp-archive.js';
import { openBackup } from '../../infrastructure/disk/backup-directory.js';
import { OWN_SECRETS, planSecrets, putSecrets, type SecretsPlan } from '../../infrastructure/disk/own-secrets.js';
import { makeRecordMissing } from '../../infrastructure/postgres/seal/record-missing.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { describeCopyFailure } from '../log/copy-report.js';
import { failed, interrupted, type JsonOption, jsonOption, printFinding, printNote } from '../output.js';
import { counted } from '../plural.js';
import { makePhases, makeProgress } from '../progress.js';
import { runCommand } from '../run-command.js';
import { type UserOption, userOption } from '../user-option.js';
import { type BackedUpKeys, openBackedUpKeys } from './backed-up-keys.js';
import { beginOwnOrigin, originInForce } from './begin-own-origin.js';
import { printLacking } from './print-lacking.js';
import { printUnfit } from './print-unfit.js';
import { findOutWhereToGoOn, type Installation, withInstallation } from './restore-target.js';
import { andTimestamps, printBackupFinding } from './verify.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

type Options = JsonOption & UserOption & { readonly replace?: true; readonly secrets: boolean };

type WithoutSecrets = { readonly withoutSecrets?: true };

/** A backup, and what it is restored with. */
type Backup = {
  readonly directory: string;
  readonly place: BackupPlace;
  readonly manifest: Manifest;
  readonly keys: BackedUpKeys;
};

const GO_ON = 'the same command goes on from there';

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

const put = async (
  { place, manifest, keys: { open } }: Backup,
  { log, pool, storage }: Installation,
  goesOn: boolean,
  options: Options,
  signal: AbortSignal,
): Promise<E.Either<CopyFailure, Restored>> => {
  const phases = makePhases();
  const onEvents = (phase: string, events: number): void => phases.report(phase, events, events / manifest.events);
  const onUnfit = printUnfit('the file storage');
  const archive = makeCheckpointArchive(storage.checkpoints, { onUnfit });
  const timestamps = makeTimestampArchive(storage.checkpoints, { onUnfit });
  const target = { log, files: storage, archive, timestamps, record: await makeRecordMissing(pool) };
  const onFiles = (events: number): void => onEvents('restoring files', events);
  const onLacking = (lacking: Lacking): void => {
    phases.end();
    printLacking(lacking, options);
  };
  try {
    return await restoreBackup(place, manifest, target, {
      runtime: systemRuntime,
      goesOn,
      open,
      onEvents,
      onFiles,
      onLacking,
      signal,
    });
  } finally {
    phases.end();
  }
};

const CHECKPOINT_KEY = OWN_SECRETS.checkpointKey.file;

const sayRestoredSecrets = ({ wanted, unread, made }: SecretsPlan, directory: string): void => {
  if (wanted.length > 0) printNote(`secrets restored: ${wanted.map(({ name }) => name).join(', ')}`);
  for (const { name, setting } of unread)
    printNote(
      `${directory}/secrets/${name} is not used with these settings: set ${setting}_FILE to a copy of it before the service starts`,
    );
  for (const { file, without } of Object.values(OWN_SECRETS))
    if (made.includes(file) && without !== undefined)
      printNote(`${file} was not restored, and the service makes a new one: ${without}`);
};

/** Whoever signs with the key of the backup has all of its history, and unless it replaces the old one, an origin of its own. */
const putCheckpointKey = (config: Config, { wanted }: SecretsPlan): Promise<void> =>
  putSecrets(
    systemRuntime.random,
    config,
    wanted.filter(({ name }) => name === CHECKPOINT_KEY),
  );

/** As the service will be once the key of the checkpoints is in its place. */
const signing = (config: Config, { wanted }: SecretsPlan): Config => {
  const key = wanted.find(({ name }) => name === CHECKPOINT_KEY);
  return key === undefined ? config : { ...config, checkpointKey: key.text };
};

/** The last step: from now on the service and all commands work there. A log without the mark needs no right to remove it. */
const endRestore = async (log: LogTarget): Promise<void> => {
  if (orThrow(await log.isBeingRestored())) orThrow(await log.markRestore('ended'));
};

/** A copy has begun an origin of its own when all else was there. */
const sayRestored = async (
  config: Config,
  manifest: Manifest,
  { log }: Installation,
  plan: SecretsPlan,
  options: Options,
): Promise<ExitCode> => {
  const origin = await originInForce(signing(config, plan), log);
  await putCheckpointKey(config, plan);
  if (options.replace !== true) await endRestore(log);
  const already = `it is restored already; checkpoints are signed as ${origin ?? 'nothing'}`;
  if (options.replace === true)
    return failed(`${already}, as a copy: to replace the old installation, restore into an empty one`);
  printFinding(options, already, { log: manifest.log, origin: origin ?? null });
  return EXIT.ok;
};

const restoreInto = async (
  backup: Backup,
  installation: Installation,
  { config, registry }: { readonly config: Config; readonly registry: Registry },
  options: Options,
  signal: AbortSignal,
): Promise<ExitCode> => {
  const { directory, place, manifest } = backup;
  const goesOn = await findOutWhereToGoOn(installation, registry, manifest.log);
  if (E.isLeft(goesOn)) return failed(`not restored: ${goesOn.left}`);
  // a log with events and without the mark may be in use, as the one that was backed up is
  if (!goesOn.right) orThrow(await installation.log.markRestore('begun'));
  await backup.keys.store(installation.pool);
  const plan = await planSecrets(config, options.secrets ? await readSecrets(place, manifest) : []);
  await putSecrets(
    systemRuntime.random,
    config,
    plan.wanted.filter(({ name }) => name !== CHECKPOINT_KEY),
  );
  if (goesOn.right && (await isRestoredAsCopy(installation.log, manifest)))
    return sayRestored(config, manifest, installation, plan, options);
  const restored = await put(backup, installation, goesOn.right, options, signal);
  if (E.isLeft(restored)) return failed(`not restored: ${describeCopyFailure(restored.left)}`);
  const { lacking, lost, isComplete, ...counts } = restored.right;
  if (!isComplete) return interrupted(`${counted(counts.events, 'event')}: ${GO_ON}`);
  if (lost > 0) return failed(`not restored: ${counted(lost, 'file')} of the backup cannot be used`);
  const { checkpoints } = counts;
  const wanted = {
    checkpoints,
    replaces: options.replace === true,
    user: options.user,
    now: systemRuntime.clock.date(),
  };
  const sealing = await beginOwnOrigin(signing(config, plan), installation.log, manifest, wanted);
  if (E.isLeft(sealing)) return failed(sealing.left);
  await putCheckpointKey(config, plan);
  await endRestore(installation.log);
  sayRestoredSecrets(plan, directory);
  const { origin, note } = sealing.right;
  if (note !== undefined) printNote(note);
  const text = [
    `restored ${counted(counts.events, 'event')} in ${counted(counts.streams, 'stream')}, ${counted(counts.files, 'file')} of ${counted(counts.fileBytes, 'byte')}, ${counted(counts.checkpoints, 'checkpoint')}${andTimestamps(counts.timestamps)}`,
    ...(lacking > 0 ? [`the backup does not have ${counted(lacking, 'file')} that events name`] : []),
    ...(origin === null ? [] : [`checkpoints are signed as ${origin} from now on`]),
  ];
  printFinding(options, text, {
    log: manifest.log,
    ...counts,
    lacking,
    origin,
    secrets: plan.wanted.map(({ name }) => name),
  });
  return EXIT.ok;
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
    const keys = await openBackedUpKeys(place, manifest, config, registry);
    const backup = { directory, place, manifest, keys };
    if (!backup.manifest.isComplete) printNote('the last backup was interrupted: what it had by then is restored');
    const checked = await check(backup, registry, options, signal);
    if (!checked.isComplete)
      return interrupted(`${counted(checked.events, 'event')} were checked; nothing is restored`);
    if (checked.faults > 0) return failed(`not restored: the backup has ${counted(checked.faults, 'fault')}`);
    return await withInstallation(config, registry, (installation) =>
      restoreInto(backup, installation, { config, registry }, options, signal),
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
    .addOption(userOption())
    .addOption(jsonOption('one JSON object a line: each finding, then the counts'))
    .action((directory: string, given: Omit<Options, 'secrets'> & WithoutSecrets) =>
      runCommand((config, signal) =>
        restore(directory, config, registry, { ...given, secrets: given.withoutSecrets !== true }, signal),
      ),
    );
};
