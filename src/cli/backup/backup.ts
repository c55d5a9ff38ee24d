import { type Command, Option } from 'commander';
import { either as E } from 'fp-ts';
import { sealedBy } from '../../../projections/ledger.js';
import { BackupFault } from '../../backup/backup-fault.js';
import { type BackupPlace, findManifest } from '../../backup/backup-place.js';
import type { Manifest } from '../../backup/manifest.js';
import { type BackedUp, type BackupSources, writeBackup } from '../../backup/write-backup.js';
import { KEY_TREE, renderTree } from '../../backup/backed-up-keys.js';
import type { Secret } from '../../backup/secrets.js';
import type { Config } from '../../config.js';
import { openEvents } from '../../event-sourcing/encryption/open-events.js';
import { ledgerOf, type Registry } from '../../entities/registry.js';
import { orThrow } from '../../event-sourcing/attempt.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';
import { makeAddReads } from '../../infrastructure/postgres/access/add-reads.js';
import { checkpointSigners } from '../../infrastructure/checkpoint-signer.js';
import { sharedEventKeys } from '../../infrastructure/event-keys.js';
import { makeCheckpointArchive } from '../../infrastructure/checkpoints/checkpoint-archive.js';
import { makeTimestampArchive } from '../../infrastructure/checkpoints/timestamp-archive.js';
import { openBackupToWrite } from '../../infrastructure/disk/backup-directory.js';
import { OWN_SECRETS, readOwnSecrets, secretsOf } from '../../infrastructure/disk/own-secrets.js';
import { openStorage } from '../../infrastructure/open-storage.js';
import { recordBackup } from '../../infrastructure/postgres/backup-record.js';
import { makeSealedTree } from '../../infrastructure/postgres/seal/sealed-tree-queries.js';
import { programVersion } from '../../infrastructure/program-version.js';
import { renderVerifier } from '../../seal/note-key.js';
import { keyChangeMembers } from '../../sealing/key-change.js';
import { findSealHistory } from '../../sealing/seal-history.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { shareOfLog } from '../log/share-of-log.js';
import { failed, interrupted, type JsonOption, jsonOption, printFinding, printNote } from '../output.js';
import { counted } from '../plural.js';
import { makeProgress } from '../progress.js';
import { type ReadModels, withReadModels } from '../projections/with-read-models.js';
import { afterRecording } from '../reads/record-export.js';
import { runCommand } from '../run-command.js';
import { readingUserOption, type UserOption } from '../user-option.js';
import { printLacking } from './print-lacking.js';
import { printSuspects } from './print-suspects.js';
import { printUnfit } from './print-unfit.js';
import { verifyDirectory } from './verify.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

type Options = JsonOption &
  UserOption & {
    readonly verify?: true;
    readonly allowMissingFiles?: true;
    readonly secrets: boolean;
  };

/** What checkpoints are signed as now, and the keys that they are verified with. */
const findSeal = async (config: Config, store: EventStore): Promise<Manifest['seal']> => {
  const [first] = orThrow(await checkpointSigners(systemRuntime.random, config));
  if (first === undefined) return null;
  const { origin, key, keyChanges } = await findSealHistory(store, first.verifier);
  const earlier = keyChanges.map(keyChangeMembers).map(({ replaced, size, root }) => ({ key: replaced, size, root }));
  return { origin, key: renderVerifier(key), earlier };
};

const backUp = async (
  sources: BackupSources & { readonly store: EventStore },
  place: BackupPlace,
  options: Options,
  signal: AbortSignal,
): Promise<E.Either<BackupFault, BackedUp>> => {
  const before = await findManifest(place);
  if (!options.secrets && before?.secrets.some(({ name }) => name !== KEY_TREE) === true)
    return E.left(
      new BackupFault('it has the secrets of an earlier run: --without-secrets needs a directory of its own'),
    );
  const last = before?.segments.at(-1);
  const share = await shareOfLog(sources.store, last === undefined ? undefined : BigInt(last.last.position));
  const progress = makeProgress('backing up');
  try {
    return await writeBackup(sources, place, {
      onUnfit: ({ origin, size }, reason) => {
        progress.end();
        printNote(`the checkpoint of ${counted(size, 'event')} of ${origin} is not backed up: ${reason}`);
      },
      onLacking: (lacking) => {
        progress.end();
        printLacking(lacking, options);
      },
      onEvents: (events, reached) => progress.report(events, share(reached)),
      allowsMissing: options.allowMissingFiles === true,
      signal,
    });
  } finally {
    progress.end();
  }
};

const sayBackedUpSecrets = (config: Config, { secrets }: Manifest, options: Options, directory: string): void => {
  const { own, given } = secretsOf(config);
  const names = secrets.map(({ name }) => name);
  if (!options.secrets && own.length > 0) printNote(`left out: the secrets of ${config.dataDir} (${own.join(', ')})`);
  if (names.length > 0) printNote(`with secrets, in ${directory}/secrets: ${names.join(', ')}`);
  if (given.length > 0) printNote(`not in the backup, because settings give them: ${given.join(', ')}`);
};

/** Lets the service know when it was backed up. A backup is none the worse where that cannot be written. */
const recordSuccess = ({ pool }: ReadModels, manifest: Manifest): Promise<void> =>
  recordBackup(pool, manifest).catch((error: unknown) =>
    printNote(
      `the backup is complete, and the service does not know of it: its time could not be recorded (${reasonOf(error)}). ` +
        'Until it is, the alert BackupTooOld is wrong: let the owner of the tables run "ops migrate", and this role write ' +
        'backup.newest',
    ),
  );

const conclude = ({ manifest, ...added }: BackedUp, notCopied: ReadonlyArray<string>, options: Options): ExitCode => {
  const { log, events, files, fileBytes, lacking } = manifest;
  const lacks = lacking.length === 0 ? '' : `; ${counted(lacking.length, 'file')} of events could not be backed up`;
  const text =
    `backed up ${counted(added.events, 'new event')}, ${counted(added.files, 'file')} of ${counted(added.fileBytes, 'byte')}; ` +
    `the backup has ${counted(events, 'event')} and ${counted(files, 'file')} of ${counted(fileBytes, 'byte')}${lacks}`;
  printFinding(options, text, {
    ...{ log, events, files, fileBytes, lacking: lacking.length },
    added: { events: added.events, files: added.files, fileBytes: added.fileBytes },
    ...{ secrets: manifest.secrets.map(({ name }) => name), notCopied },
  });
  return lacking.length === 0 ? EXIT.ok : EXIT.failed;
};

const sourcesOf = async (
  config: Config,
  { store, raw, encryption, keyControl, pool, registry }: ReadModels,
  storage: Pick<BackupSources, 'files' | 'archive' | 'timestamps'>,
  { secrets }: Options,
): Promise<BackupSources & { readonly store: EventStore }> => {
  const ledger = ledgerOf(registry);
  // before the events: the keys in the backup have never been destroyed by what it does not know
  const keyTree = async (): Promise<ReadonlyArray<Secret>> => {
    const stored = await keyControl?.stored();
    return stored === undefined ? [] : [{ name: KEY_TREE, text: renderTree(stored) }];
  };
  return {
    ...{ store: raw, ...storage, seal: await findSeal(config, store) },
    open: (events) => (encryption === undefined ? events : openEvents(encryption, events)),
    keys: orThrow(await sharedEventKeys(systemRuntime.random, config)),
    recorded: makeSealedTree(pool, ledger.name).checkpoints,
    secrets: async () => [...(secrets ? await readOwnSecrets(config) : []), ...(await keyTree())],
    isSealed: sealedBy(ledger),
    program: programVersion(),
    clock: systemRuntime.clock,
  };
};

const backUpInto = async (
  directory: string,
  config: Config,
  readModels: ReadModels,
  options: Options,
  signal: AbortSignal,
): Promise<ExitCode> => {
  const storage = await openStorage(config, { runtime: systemRuntime, mustExist: true });
  if (E.isLeft(storage)) return failed(storage.left.message);
  const { checkpoints, space, ...files } = storage.right;
  try {
    const reading = { onUnfit: printUnfit('the file storage'), signal };
    const archive = makeCheckpointArchive(checkpoints, reading);
    const timestamps = makeTimestampArchive(checkpoints, reading);
    const sources = await sourcesOf(config, readModels, { files, archive, timestamps }, options);
    const { place, close } = await openBackupToWrite(directory, config.dataDir, {
      runtime: systemRuntime,
      onUnfit: printUnfit(directory),
    });
    try {
      const backedUp = await backUp(sources, place, options, signal);
      if (E.isLeft(backedUp)) return failed(`not backed up into ${directory}: ${backedUp.left.message}`);
      if (signal.aborted)
        return interrupted(`${counted(backedUp.right.events, 'event')}: the same command goes on from there`);
      sayBackedUpSecrets(config, backedUp.right.manifest, options, directory);
      printSuspects(backedUp.right.suspects);
      const exit = conclude(backedUp.right, secretsOf(config).given, options);
      if (exit === EXIT.ok) await recordSuccess(readModels, backedUp.right.manifest);
      return exit;
    } finally {
      await close();
    }
  } catch (error) {
    if (error instanceof BackupFault) return failed(`not backed up into ${directory}: ${error.message}`);
    throw error;
  } finally {
    await space?.stop();
  }
};

export const addBackup = (program: Command, registry: Registry): void => {
  program
    .command('backup')
    .argument('<directory>', 'what is made, or what an earlier backup made')
    .description(
      'backs up the log, every file that its events name, all kept checkpoints, and the secrets that the service made in\n' +
        'DATA_DIR, as they are when the command begins; the service may run. Into a directory that has a backup of this\n' +
        'log already, only what is new is written. A backup that was interrupted is completed by the same command',
    )
    .option(
      '--without-secrets',
      `leave out the secrets of DATA_DIR: ${Object.values(OWN_SECRETS)
        .map(({ file }) => file)
        .join(', ')}`,
    )
    .option(
      '--allow-missing-files',
      'go on where the first thousand files and more are all missing or different, because they are lost for good; each\n' +
        'is named all the same, and the command ends with 1',
    )
    .addOption(
      new Option('--verify', 'back up nothing; read the backup and verify all of it, without the service').conflicts([
        'allowMissingFiles',
        'withoutSecrets',
      ]),
    )
    .addOption(readingUserOption())
    .addOption(jsonOption('one JSON object a line: each finding, then the counts'))
    .action((directory: string, given: Omit<Options, 'secrets'> & { readonly withoutSecrets?: true }) => {
      const options: Options = { ...given, secrets: given.withoutSecrets !== true };
      return runCommand(async (config, signal) => {
        if (options.verify === true) {
          const keys = await sharedEventKeys(systemRuntime.random, config);
          return E.isLeft(keys)
            ? failed(keys.left.message)
            : verifyDirectory(directory, config, registry, options, keys.right, signal);
        }
        const exported = {
          ...{ user: options.user, operation: 'ops backup', form: 'backup' },
          options: { 'without-secrets': options.secrets ? undefined : 'true' },
        };
        return withReadModels(config, registry, signal, (readModels) =>
          afterRecording(config, makeAddReads(readModels.pool), exported, () =>
            backUpInto(directory, config, readModels, options, signal),
          ),
        );
      });
    });
};
