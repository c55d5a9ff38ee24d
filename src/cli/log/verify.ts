import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { either as E } from 'fp-ts';
import { failureIn } from '../../../projections/engine/engine-failure.js';
import { sealedBy } from '../../../projections/ledger.js';
import type { Config } from '../../config.js';
import { ledgerOf, type Registry } from '../../entities/registry.js';
import type { EventKeys } from '../../event-sourcing/event-key.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import type { StreamName } from '../../event-sourcing/recorded-event.js';
import { keepChainEnds } from '../../event-sourcing/whole-log/keep-chain-ends.js';
import { verifyLog, verifyStream } from '../../event-sourcing/whole-log/verify-log.js';
import { checkpointSigners } from '../../infrastructure/checkpoint-signer.js';
import { sharedEventKeys } from '../../infrastructure/event-keys.js';
import { findSeal } from '../../infrastructure/verification/find-seal.js';
import { type LogChecks, makeLogChecks } from '../../infrastructure/verification/log-checks.js';
import { PassOver } from '../../infrastructure/verification/patient-ports.js';
import type { OpenLog } from '../../infrastructure/open-stores.js';
import { parseVerifier, type Verifier } from '../../seal/note-key.js';
import type { Witness } from '../../sealing/checkpoint-check.js';
import type { FindKeys } from '../../sealing/kept-checkpoint.js';
import { readWitness } from '../../sealing/read-witness.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, interrupted, type JsonOption, jsonOption, printNote } from '../output.js';
import { counted } from '../plural.js';
import { makeProgress } from '../progress.js';
import { databaseTrouble } from '../database-trouble.js';
import { runCommand } from '../run-command.js';
import { noStream, streamArgument, streamsIn } from './arguments.js';
import { makeFaultPrinter } from './log-fault-lines.js';
import { openWitnesses } from './open-witnesses.js';
import { shareOfLog } from './share-of-log.js';
import { isUnread, reportVerified } from './verify-report.js';
import { withConfiguredLog } from './with-log.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

type Options = JsonOption & { readonly against?: string; readonly key?: Verifier };

type Opened = {
  readonly config: Config;
  readonly registry: Registry;
  readonly store: EventStore;
  readonly keys: EventKeys;
  readonly database: OpenLog['database'];
};

const NO_CHECKS: LogChecks = {
  checks: [],
  unchecked: [],
  ledger: undefined,
  checkpoints: undefined,
  putElsewhere: 0,
  sealed: { restarts: [], keyChanges: [] },
};

const verifierArgument = (text: string): Verifier => {
  const parsed = parseVerifier(text.trim());
  if (E.isLeft(parsed)) throw new InvalidArgumentError(`${parsed.left}.`);
  return parsed.right;
};

/** What an auditor kept, from its file. Left: why it says nothing. */
const readKept = async (file: string, findKeys: FindKeys): Promise<E.Either<string, Witness>> =>
  E.mapLeft((fault: string) => `${file}: ${fault}`)(readWitness(await readFile(file), `in ${file}`, findKeys));

const verifyOne = async (
  { registry, store, keys }: Opened,
  stream: StreamName,
  options: Options,
  signal: AbortSignal,
): Promise<ExitCode> => {
  const progress = makeProgress('verifying');
  const faults = makeFaultPrinter(options, progress.end);
  const verified = await verifyStream(store, stream, {
    keys,
    chainEnds: keepChainEnds(systemRuntime.random),
    onFault: faults.print,
    onPage: (events) => progress.report(events),
    signal,
  });
  progress.end();
  if (!verified.isComplete) return interrupted(counted(verified.events, 'event'));
  if (verified.events === 0) return failed(noStream(stream, registry));
  reportVerified(verified, keys.length > 0, NO_CHECKS, faults, options);
  return faults.counts().length === 0 ? EXIT.ok : EXIT.failed;
};

/** What ended the comparison with the read models; undefined for an error of another kind. */
const readModelsTrouble = (error: unknown): string | undefined =>
  failureIn(error, 'NoLiveRows')?.message ?? databaseTrouble(error);

const verifyAll = async (opened: Opened, options: Options, signal: AbortSignal): Promise<ExitCode> => {
  const { config, registry, store, keys, database } = opened;
  const signers = await checkpointSigners(systemRuntime.random, config);
  if (E.isLeft(signers)) return failed(signers.left.message);
  const given = options.key;
  const own = signers.right[0]?.verifier;
  const seal = await findSeal(store, { own, given });
  // an auditor may believe his own key alone, and those that follow from it
  const known = given === undefined ? seal : await findSeal(store, { own: given });
  const findKeys: FindKeys = (origin) => (typeof known === 'string' ? [] : known.findKeys(origin));
  const kept = options.against === undefined ? undefined : await readKept(options.against, findKeys);
  if (kept !== undefined && E.isLeft(kept)) return failed(kept.left);

  const progress = makeProgress('verifying');
  const faults = makeFaultPrinter(options, progress.end);
  const { close, findLiftedGuards, ...witnesses } = await openWitnesses(
    config,
    registry,
    database,
    faults.print,
    signal,
  );
  try {
    const share = await shareOfLog(store);
    const checks = await makeLogChecks(
      store,
      ledgerOf(registry),
      { ...witnesses, seal, keys, kept: kept === undefined ? [] : [kept.right] },
      faults.print,
    );
    const verified = await verifyLog(store, {
      keys,
      chainEnds: keepChainEnds(systemRuntime.random),
      checks: checks.checks,
      isSealed: sealedBy(ledgerOf(registry)),
      onFault: faults.print,
      onPage: (events, reached) => progress.report(events, share(reached)),
      signal,
    });
    progress.end();
    if (!verified.isComplete) return interrupted(counted(verified.events, 'event'));
    reportVerified(verified, keys.length > 0, checks, faults, options, await findLiftedGuards?.());
    return faults.counts().length === 0 && !checks.unchecked.some(isUnread) ? EXIT.ok : EXIT.failed;
  } catch (error) {
    progress.end();
    if (error instanceof PassOver) return interrupted('0 events, while the checkpoints in the file storage were read');
    const trouble = readModelsTrouble(error);
    if (trouble === undefined) throw error;
    return failed(trouble);
  } finally {
    await close();
  }
};

const verify = async (
  registry: Registry,
  stream: StreamName | undefined,
  options: Options,
  config: Config,
  signal: AbortSignal,
): Promise<ExitCode> => {
  if (stream !== undefined && options.against !== undefined) {
    printNote('--against compares a checkpoint with the whole log: give no stream');
    return EXIT.usage;
  }
  return withConfiguredLog(config, registry, async ({ log: store, database }) => {
    const keys = await sharedEventKeys(systemRuntime.random, config);
    if (E.isLeft(keys)) return failed(keys.left.message);
    const opened = { config, registry, store, keys: keys.right, database };
    return stream === undefined ? verifyAll(opened, options, signal) : verifyOne(opened, stream, options, signal);
  });
};

export const addVerify = (log: Command, registry: Registry): void => {
  log
    .command('verify')
    .argument('[stream]', `only the chain and the macs of this stream: ${streamsIn(registry)}`, streamArgument)
    .description(
      'recomputes the hash chain of every stream and names the first broken event of each that is broken,\n' +
        'and each event whose mac is missing, does not fit or is of an unknown key; compares the log with the ledger,\n' +
        'with the tiles of its tree and with every kept checkpoint, and says where it was changed\n' +
        '(reads the log once; remembers about 65 bytes a stream)',
    )
    .option('--against <file>', 'compare the log also with this checkpoint or .tlog-proof, which somebody kept')
    .option(
      '--key <verifier>',
      'the verifier key of --against: name+id+base64, as `log key` prints it; without it, that of the settings',
      verifierArgument,
    )
    .addOption(jsonOption('one JSON object a line: each fault, then the counts'))
    .action((stream: StreamName | undefined, options: Options) =>
      runCommand((config, signal) => verify(registry, stream, options, config, signal)),
    );
};
