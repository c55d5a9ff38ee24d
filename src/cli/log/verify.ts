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
import { type Verified, verifyLog, verifyStream } from '../../event-sourcing/whole-log/verify-log.js';
import { checkpointSigner } from '../../infrastructure/checkpoint-signer.js';
import { sharedEventKeys } from '../../infrastructure/event-keys.js';
import { findSeal } from '../../infrastructure/verification/find-seal.js';
import { type LogChecks, makeLogChecks, type Unchecked } from '../../infrastructure/verification/log-checks.js';
import { PassOver } from '../../infrastructure/verification/patient-ports.js';
import type { OpenLog } from '../../infrastructure/open-stores.js';
import { parseVerifier, type Verifier } from '../../seal/note-key.js';
import type { Witness } from '../../sealing/checkpoint-check.js';
import type { FindVerifier } from '../../sealing/kept-checkpoint.js';
import { readWitness } from '../../sealing/read-witness.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, interrupted, type JsonOption, jsonOption, printFinding, printLine, printNote } from '../output.js';
import { counted } from '../plural.js';
import { makeProgress } from '../progress.js';
import { databaseTrouble } from '../database-trouble.js';
import { runCommand } from '../run-command.js';
import { noStream, streamArgument, streamsIn } from './arguments.js';
import { makeFaultPrinter } from './log-fault-lines.js';
import { openWitnesses } from './open-witnesses.js';
import { shareOfLog } from './share-of-log.js';
import { withConfiguredLog } from './with-log.js';

type Options = JsonOption & { readonly against?: string; readonly key?: Verifier };

type Opened = {
  readonly config: Config;
  readonly registry: Registry;
  readonly store: EventStore;
  readonly keys: EventKeys;
  readonly database: OpenLog['database'];
};

type FaultPrinter = ReturnType<typeof makeFaultPrinter>;

const isUnread = (one: Unchecked): boolean => one.isUnread;

const NO_CHECKS: LogChecks = {
  checks: [],
  unchecked: [],
  ledger: undefined,
  checkpoints: undefined,
  putElsewhere: 0,
  restarts: [],
};

const verifierArgument = (text: string): Verifier => {
  const parsed = parseVerifier(text.trim());
  if (E.isLeft(parsed)) throw new InvalidArgumentError(`${parsed.left}.`);
  return parsed.right;
};

/** What the first line says behind the chains: how many events have no mac, or no data any more. */
const describeEvents = ({ events, withMac, macFaults, withoutData }: Verified, areChecked: boolean): string => {
  const without = events === withMac ? '' : `, ${events - withMac} without`;
  const checked = areChecked ? '' : ', not checked: no key is set (EVENT_KEY_FILE)';
  return [
    `${counted(withMac, 'event')} with a mac${without}${checked}`,
    ...(macFaults === 0 ? [] : [`${counted(macFaults, 'event')} suspect`]),
    ...(withoutData === 0 ? [] : [`${counted(withoutData, 'event')} without data`]),
  ].join('; ');
};

/** What an operator may have to record, so that the log says all that it can. */
const describeDecisions = ({ unsealedDecisions }: Verified, faults: FaultPrinter): ReadonlyArray<string> => {
  const isMacMissing = faults.counts().some(({ kind }) => kind === 'mac-missing');
  return [
    ...(isMacMissing
      ? [
          'events from before the event key was set have no mac: once, `ops log require-mac` records in the tree that they are right',
        ]
      : []),
    ...(unsealedDecisions === 0
      ? []
      : [
          `${counted(unsealedDecisions, 'decision')} of operators outside of the tree, where they can be removed unseen: \`ops log seal-decisions\` records them in it again`,
        ]),
  ];
};

const describeChecks = ({
  ledger,
  checkpoints,
  putElsewhere,
  restarts,
  unchecked,
}: LogChecks): ReadonlyArray<string> => {
  const lines: Array<string> = [];
  if (ledger !== undefined) {
    const { compared, notYet } = ledger();
    const waiting = notYet === 0 ? '' : `; it does not have ${counted(notYet, 'event')} yet`;
    lines.push(`ledger: ${counted(compared, 'event')} compared with rows and tiles${waiting}`);
  }
  if (checkpoints !== undefined) {
    const { fitting, differing, beforePostgres, earlier } = checkpoints();
    const none = Object.keys(earlier).length === 0 ? 'none is kept' : 'none of this origin is kept';
    const all = fitting === 0 ? none : 'all fit';
    lines.push(
      `checkpoints: ${differing === 0 ? all : `${counted(fitting, 'fits', 'fit')}, ${counted(differing, 'does', 'do')} not`}`,
    );
    if (beforePostgres > 0)
      lines.push(
        `checkpoints that the file storage alone has: ${beforePostgres}; Postgres was restored after them, or they were removed there`,
      );
    if (putElsewhere > 0)
      lines.push(
        `checkpoints that were put into another file storage: ${putElsewhere}; not looked for in the one of the settings`,
      );
    for (const [origin, { inPostgres, inStorage, largest }] of Object.entries(earlier))
      lines.push(
        `checkpoints of ${origin}, an earlier origin: ${inPostgres} in Postgres, ${inStorage} in the file storage, up to ${counted(largest, 'event')}; not compared, because the seal was restarted after them`,
      );
  }
  for (const { origin, replaced, reason, actor, at } of restarts)
    lines.push(`seal restarted at ${at} by ${actor}: ${origin} in place of ${replaced}, because: ${reason}`);
  return [
    ...lines,
    ...unchecked.map(({ what, isUnread }) => `${isUnread ? 'could not be read' : 'not checked'}: ${what}`),
  ];
};

const namesOf = (unchecked: ReadonlyArray<Unchecked>): ReadonlyArray<string> => unchecked.map(({ what }) => what);

const reportCounts = (
  verified: Verified,
  macsChecked: boolean,
  checks: LogChecks,
  faults: FaultPrinter,
  options: Options,
  guardsLifted: ReadonlyArray<string> = [],
): void => {
  const { events, streams, broken, withMac, macFaults, withoutData, unsealedDecisions } = verified;
  const { ledger, checkpoints, putElsewhere, restarts, unchecked } = checks;
  const found = broken === 0 ? 'every chain intact' : `${counted(broken, 'stream')} broken`;
  const text = `${counted(events, 'event')} in ${counted(streams, 'stream')}, ${found}; ${describeEvents(verified, macsChecked)}`;
  const { earlier = {}, ...fits } = checkpoints?.() ?? {};
  const earlierOrigins = Object.entries(earlier).map(([origin, counts]) => ({ origin, ...counts }));
  const compared = {
    ledger: ledger?.() ?? null,
    checkpoints: checkpoints === undefined ? null : { ...fits, putElsewhere, earlierOrigins },
  };
  const counts = {
    events,
    streams,
    broken,
    withMac,
    withoutMac: events - withMac,
    macFaults,
    macsChecked,
    withoutData,
  };
  printFinding(options, text, {
    ...counts,
    ...compared,
    unsealedDecisions,
    restarts,
    faults: faults.counts(),
    unchecked: namesOf(unchecked),
    unread: namesOf(unchecked.filter(isUnread)),
    guardsLifted,
  });
  // not what was found in the log, but what can happen to it
  for (const guard of guardsLifted)
    printNote(
      `the guard of the history is lifted, ${guard}: whoever may write there can change or remove what is kept`,
    );
  if (options.json === true) return;
  for (const line of [...faults.unnamed(), ...describeDecisions(verified, faults), ...describeChecks(checks)])
    printLine(line);
};

/** What an auditor kept, from its file. Left: why it says nothing. */
const readKept = async (file: string, findVerifier: FindVerifier): Promise<E.Either<string, Witness>> =>
  E.mapLeft((fault: string) => `${file}: ${fault}`)(readWitness(await readFile(file), `in ${file}`, findVerifier));

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
    onFault: faults.print,
    onPage: (events) => progress.report(events),
    signal,
  });
  progress.end();
  if (!verified.isComplete) return interrupted(counted(verified.events, 'event'));
  if (verified.events === 0) return failed(noStream(stream, registry));
  reportCounts(verified, keys.length > 0, NO_CHECKS, faults, options);
  return faults.counts().length === 0 ? EXIT.ok : EXIT.failed;
};

/** What ended the comparison with the read models; undefined for an error of another kind. */
const readModelsTrouble = (error: unknown): string | undefined =>
  failureIn(error, 'NoLiveRows')?.message ?? databaseTrouble(error);

const verifyAll = async (opened: Opened, options: Options, signal: AbortSignal): Promise<ExitCode> => {
  const { config, registry, store, keys, database } = opened;
  const signer = await checkpointSigner(config);
  if (E.isLeft(signer)) return failed(signer.left.message);
  const given = options.key;
  const seal = await findSeal(store, { own: signer.right?.verifier, given });
  const known: FindVerifier =
    given === undefined
      ? (origin) => (typeof seal === 'string' ? undefined : seal.findVerifier(origin))
      : (origin) => (origin === given.name ? given : undefined);
  const kept = options.against === undefined ? undefined : await readKept(options.against, known);
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
      { ...witnesses, seal, kept: kept === undefined ? [] : [kept.right] },
      faults.print,
    );
    const verified = await verifyLog(store, {
      keys,
      checks: checks.checks,
      isSealed: sealedBy(ledgerOf(registry)),
      onFault: faults.print,
      onPage: (events, reached) => progress.report(events, share(reached)),
      signal,
    });
    progress.end();
    if (!verified.isComplete) return interrupted(counted(verified.events, 'event'));
    reportCounts(verified, keys.length > 0, checks, faults, options, await findLiftedGuards?.());
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
    const keys = await sharedEventKeys(config);
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
