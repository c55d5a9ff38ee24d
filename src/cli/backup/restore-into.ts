import { either as E } from 'fp-ts';
import type { BackupPlace } from '../../backup/backup-place.js';
import { type LaterErasures, recordsOf } from '../../backup/later-erasures.js';
import type { Lacking, Manifest } from '../../backup/manifest.js';
import { type Behind, findBehind, restoreBackup, type Restored } from '../../backup/restore-backup.js';
import { readSecrets } from '../../backup/secrets.js';
import type { Config } from '../../config.js';
import type { Registry } from '../../entities/registry.js';
import { orThrow } from '../../event-sourcing/attempt.js';
import type { CopyFailure } from '../../event-sourcing/whole-log/copy-log.js';
import type { LogTarget } from '../../event-sourcing/whole-log/log-target.js';
import { makeCheckpointArchive } from '../../infrastructure/checkpoints/checkpoint-archive.js';
import { makeTimestampArchive } from '../../infrastructure/checkpoints/timestamp-archive.js';
import { planSecrets, type SecretsPlan } from '../../infrastructure/disk/own-secrets.js';
import { makeRecordMissing } from '../../infrastructure/postgres/seal/record-missing.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { describeCopyFailure } from '../log/copy-report.js';
import { failed, interrupted, type JsonOption, printFinding, printNote } from '../output.js';
import { counted } from '../plural.js';
import { makePhases } from '../progress.js';
import type { UserOption } from '../user-option.js';
import type { BackedUpKeys } from './backed-up-keys.js';
import { beginOwnOrigin, originInForce, type Sealing } from './begin-own-origin.js';
import { areRecorded, carryOutErasures } from './carry-out-erasures.js';
import { printLacking } from './print-lacking.js';
import { printUnfit } from './print-unfit.js';
import { putCheckpointKey, putOtherSecrets, sayRestoredSecrets, signing } from './restored-secrets.js';
import { findOutWhereToGoOn, type Installation } from './restore-target.js';
import { andTimestamps } from './verify.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

export type Options = JsonOption &
  UserOption & { readonly replace?: true; readonly secrets: boolean; readonly erasures?: string };

/** A backup, and what it is restored with. */
export type Backup = {
  readonly directory: string;
  readonly place: BackupPlace;
  readonly manifest: Manifest;
  readonly keys: BackedUpKeys;
  readonly later: LaterErasures;
};

const GO_ON = 'the same command goes on from there';

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

/** The last step: from now on the service and all commands work there. A log without the mark needs no right to remove it. */
const endRestore = async (log: LogTarget): Promise<void> => {
  if (orThrow(await log.isBeingRestored())) orThrow(await log.markRestore('ended'));
};

type Context = {
  readonly config: Config;
  readonly registry: Registry;
  readonly options: Options;
  readonly plan: SecretsPlan;
};

/** Begins an origin of its own where it is a copy, and lets everybody use the log: all else is there. */
const begin = async (
  { manifest }: Backup,
  { log }: Installation,
  checkpoints: number,
  { config, options, plan }: Context,
): Promise<E.Either<string, Sealing>> => {
  const { replace, user } = options;
  const wanted = { checkpoints, replaces: replace === true, user, now: systemRuntime.clock.date() };
  const sealing = await beginOwnOrigin(signing(config, plan), log, manifest, wanted);
  if (E.isLeft(sealing)) return sealing;
  await putCheckpointKey(config, plan);
  await endRestore(log);
  if (sealing.right.note !== undefined) printNote(sealing.right.note);
  return sealing;
};

const hasEnded = async (
  { manifest }: Backup,
  { log }: Installation,
  { origins }: Behind,
  { config, options, plan }: Context,
): Promise<ExitCode> => {
  const origin = await originInForce(signing(config, plan), log);
  await putCheckpointKey(config, plan);
  const isWanted = options.replace !== true || origins === 0;
  if (isWanted) await endRestore(log);
  const already = `it is restored already; checkpoints are signed as ${origin ?? 'nothing'}`;
  if (!isWanted) return failed(`${already}, as a copy: to replace the old installation, restore into an empty one`);
  printFinding(options, already, { log: manifest.log, origin: origin ?? null });
  return EXIT.ok;
};

/** All of the backup is there, and something that was recorded behind it: what is left of that, and the end. */
const goOnBehind = async (
  backup: Backup,
  installation: Installation,
  behind: Behind,
  context: Context,
): Promise<ExitCode> => {
  if (!orThrow(await installation.log.isBeingRestored())) return hasEnded(backup, installation, behind, context);
  const erased = await carryOutErasures(installation, backup.later, context, context.options.user);
  if (E.isLeft(erased)) return failed(`not restored: ${erased.left}`);
  if (behind.origins > 0) return hasEnded(backup, installation, behind, context);
  const recorded = backup.manifest.checkpoints.segments.reduce((sum, { checkpoints }) => sum + checkpoints, 0);
  const begun = await begin(backup, installation, recorded, context);
  return E.isLeft(begun) ? failed(begun.left) : hasEnded(backup, installation, behind, context);
};

const restoreAll = async (
  backup: Backup,
  installation: Installation,
  goesOn: boolean,
  context: Context,
  signal: AbortSignal,
): Promise<ExitCode> => {
  const { directory, manifest, later } = backup;
  const { options, plan } = context;
  const restored = await put(backup, installation, goesOn, options, signal);
  if (E.isLeft(restored)) return failed(`not restored: ${describeCopyFailure(restored.left)}`);
  const { lacking, lost, isComplete, ...counts } = restored.right;
  if (!isComplete) return interrupted(`${counted(counts.events, 'event')}: ${GO_ON}`);
  if (lost > 0) return failed(`not restored: ${counted(lost, 'file')} of the backup cannot be used`);
  const erased = await carryOutErasures(installation, later, context, options.user);
  if (E.isLeft(erased)) return failed(`not restored: ${erased.left}`);
  const begun = await begin(backup, installation, counts.checkpoints, context);
  if (E.isLeft(begun)) return failed(begun.left);
  sayRestoredSecrets(plan, directory);
  const { origin } = begun.right;
  const records = recordsOf(later).length;
  const text = [
    `restored ${counted(counts.events, 'event')} in ${counted(counts.streams, 'stream')}, ${counted(counts.files, 'file')} of ${counted(counts.fileBytes, 'byte')}, ${counted(counts.checkpoints, 'checkpoint')}${andTimestamps(counts.timestamps)}`,
    ...(records > 0
      ? [`erased ${counted(records, 'record')} by ${counted(later.erasures.length, 'later erasure')}`]
      : []),
    ...(lacking > 0 ? [`the backup does not have ${counted(lacking, 'file')} that events name`] : []),
    ...(origin === null ? [] : [`checkpoints are signed as ${origin} from now on`]),
  ];
  printFinding(options, text, {
    log: manifest.log,
    ...counts,
    lacking,
    erased: records,
    origin,
    secrets: plan.wanted.map(({ name }) => name),
  });
  return EXIT.ok;
};

/**
 * Puts a verified backup into an installation, carries out there what was erased later, and lets everybody use it; goes on where an
 * earlier run was cut off.
 */
export const restoreInto = async (
  backup: Backup,
  installation: Installation,
  { config, registry, options }: Omit<Context, 'plan'>,
  signal: AbortSignal,
): Promise<ExitCode> => {
  const { place, manifest, later } = backup;
  const { log, pool } = installation;
  const goesOn = await findOutWhereToGoOn(installation, registry, manifest.log);
  if (E.isLeft(goesOn)) return failed(`not restored: ${goesOn.left}`);
  // a log with events and without the mark may be in use, as the one that was backed up is
  if (!goesOn.right) orThrow(await log.markRestore('begun'));
  else if (!orThrow(await log.isBeingRestored()) && !(await areRecorded(log, later)))
    return failed('not restored: it is restored already, without these erasures: give them to `ops erase run` there');
  await backup.keys.store(pool);
  const plan = await planSecrets(config, options.secrets ? await readSecrets(place, manifest) : []);
  await putOtherSecrets(config, plan);
  const context = { config, registry, options, plan };
  const behind = goesOn.right ? await findBehind(log, manifest) : undefined;
  return behind !== undefined && behind.origins + behind.erasures > 0
    ? goOnBehind(backup, installation, behind, context)
    : restoreAll(backup, installation, goesOn.right, context, signal);
};
