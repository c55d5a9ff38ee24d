import { sealedBy } from '../../../projections/ledger.js';
import { BackupFault } from '../../backup/backup-fault.js';
import { readManifest } from '../../backup/backup-place.js';
import { type BackupFinding, verifyBackup } from '../../backup/verify-backup.js';
import type { Config } from '../../config.js';
import { ledgerOf, type Registry } from '../../entities/registry.js';
import type { EventKeys } from '../../event-sourcing/event-key.js';
import { openBackup } from '../../infrastructure/disk/backup-directory.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, interrupted, type JsonOption, printFinding, printNote } from '../output.js';
import { counted } from '../plural.js';
import { makeProgress } from '../progress.js';
import { openBackedUpKeys } from './backed-up-keys.js';
import { printLacking } from './print-lacking.js';
import { printSuspects } from './print-suspects.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

/** One finding: of a file as it is printed everywhere, of the rest in words. */
export const printBackupFinding = (finding: BackupFinding, options: JsonOption): void => {
  if ('stream' in finding) printLacking(finding, options);
  else printFinding(options, `${finding.kind}: ${finding.reason}`, finding);
};

/** Most logs have none. */
export const andTimestamps = (timestamps: number): string =>
  timestamps === 0 ? '' : `, ${counted(timestamps, 'timestamp')}`;

/** Reads a backup and says what is wrong with it; needs nothing else, but of one of an encrypted log the ERASURE_KEY. With keys, it also counts events by nobody who has one. */
export const verifyDirectory = async (
  directory: string,
  config: Config,
  registry: Registry,
  options: JsonOption & { readonly secrets: boolean },
  keys: EventKeys,
  signal: AbortSignal,
): Promise<ExitCode> => {
  const progress = makeProgress('verifying');
  let unfit = 0;
  const onFinding = (finding: BackupFinding): void => {
    progress.end();
    printBackupFinding(finding, options);
  };
  try {
    const place = await openBackup(directory, {
      runtime: systemRuntime,
      onUnfit: ({ key, reason }) => {
        unfit += 1;
        onFinding({ kind: 'checkpoint', reason: `files/${key} cannot be used: ${reason}` });
      },
    });
    const manifest = await readManifest(place);
    const verified = await verifyBackup(place, manifest, {
      random: systemRuntime.random,
      keys,
      isSealed: sealedBy(ledgerOf(registry)),
      open: (await openBackedUpKeys(place, manifest, config, registry)).open,
      withFiles: true,
      withSecrets: options.secrets,
      onFinding,
      onEvents: (events) => progress.report(events, events / manifest.events),
      signal,
    });
    progress.end();
    const { isComplete, suspects, ...counts } = verified;
    if (!isComplete) return interrupted(counted(counts.events, 'event'));
    const faults = counts.faults + unfit;
    if (!manifest.isComplete)
      printNote('the last backup was interrupted: this is what it had by then; the same command completes it');
    printSuspects(suspects);
    const { events, files, fileBytes, checkpoints, timestamps, compared } = counts;
    const others = compared < checkpoints ? ` (${compared} of them of the key and origin in force, and compared)` : '';
    const what = `${counted(events, 'event')}, ${counted(files, 'file')} of ${counted(fileBytes, 'byte')}, ${counted(checkpoints, 'checkpoint')}${others}${andTimestamps(timestamps)}`;
    printFinding(options, `${what}: ${faults === 0 ? 'all whole' : counted(faults, 'fault')}`, {
      ...counts,
      faults,
      isComplete: manifest.isComplete,
    });
    return faults === 0 && manifest.isComplete ? EXIT.ok : EXIT.failed;
  } catch (error) {
    if (error instanceof BackupFault) return failed(`${directory}: ${error.message}`);
    throw error;
  } finally {
    progress.end();
  }
};
