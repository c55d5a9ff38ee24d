import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { either as E } from 'fp-ts';
import { type Packed, writePack } from '../../audit-pack/write-pack.js';
import type { PackSources } from '../../audit-pack/pack-sources.js';
import type { Config } from '../../config.js';
import { ledgerOf, type Registry } from '../../entities/registry.js';
import { findMacRule } from '../../event-sourcing/operators/require-mac.js';
import type { StreamName } from '../../event-sourcing/recorded-event.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';
import { makeAddReads } from '../../infrastructure/postgres/access/add-reads.js';
import { sharedEventKeys } from '../../infrastructure/event-keys.js';
import { openStorage, type Storage } from '../../infrastructure/open-storage.js';
import { makeLedgerPlaces } from '../../infrastructure/postgres/read-models/ledger-places.js';
import { makeSealedTree } from '../../infrastructure/postgres/seal/sealed-tree-queries.js';
import type { LedgerPlaces } from '../../read/ledger-places.js';
import type { OpenFailure } from '../../read/get-file.js';
import { renderKeyChanges } from '../../sealing/key-change.js';
import { changesInForce } from '../../sealing/seal-history.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { messageOf } from '../message-of.js';
import { failed, type JsonOption, jsonOption, printFinding, printNote } from '../output.js';
import { counted } from '../plural.js';
import { makeProgress } from '../progress.js';
import { type ReadModels, withReadModels } from '../projections/with-read-models.js';
import { afterRecording, recordOf } from '../reads/record-export.js';
import { runCommand } from '../run-command.js';
import { readingUserOption, type UserOption } from '../user-option.js';
import { currentSeal } from './current-seal.js';
import { exists, writeWholeFile } from './whole-file.js';
import { recordArgument, recordsIn } from './record-argument.js';
import { findSealedRecords } from './sealed-records.js';
import { findStamped } from './stamped-checkpoint.js';
import { readVerifiers } from './verifiers.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

type Options = JsonOption & UserOption & { readonly out: string; readonly withoutData?: true; readonly force?: true };

const isThere = (out: string): ExitCode => failed(`${out} exists already: --force replaces it`);

const stopped = (): ExitCode => {
  printNote('interrupted: there is no pack');
  return EXIT.interrupted;
};

/** An error of the operating system, as of a full disk. Those of databases are values here. */
const isSystemError = (error: unknown): error is Error => error instanceof Error && 'syscall' in error;

const whyNot = (failure: OpenFailure): string =>
  failure._tag === 'FileUnavailable' ? reasonOf(failure.cause) : failure.reason;

const placeOrThrow = (found: Awaited<ReturnType<LedgerPlaces['ofEvent']>>): number | undefined => {
  if (E.isLeft(found)) throw found.left.cause;
  return found.right;
};

/** All that a pack of these records is made of. Left: why there is no such pack now. Throws `StoreUnavailable`. */
const gather = async (
  { store, pool, registry }: ReadModels,
  storage: Storage,
  config: Config,
  streams: ReadonlyArray<StreamName>,
  withData: boolean,
  signal: AbortSignal,
): Promise<E.Either<string, PackSources>> => {
  const seal = await currentSeal(config, store);
  if (E.isLeft(seal)) return seal;
  const { signer, history } = seal.right;
  const changes = changesInForce(history);
  const eventKeys = await sharedEventKeys(systemRuntime.random, config);
  if (E.isLeft(eventKeys)) return E.left(eventKeys.left.message);
  const verifiers = await readVerifiers();
  if (E.isLeft(verifiers)) return verifiers;
  const ledger = ledgerOf(registry);
  const tree = makeSealedTree(pool, ledger.name);
  const places = makeLedgerPlaces(pool, ledger);
  const stamped = (least: number) => findStamped(storage.checkpoints, history, least);
  const sources = { store, places, tree, stamped };
  const found = await findSealedRecords(sources, history, streams, signal);
  if (E.isLeft(found)) return found;
  return E.right({
    ...found.right,
    eventKeys: eventKeys.right,
    isMacRequired: await findMacRule(store, eventKeys.right, async (event) =>
      placeOrThrow(await places.ofEvent(event)),
    ),
    readTiles: tree.readTiles,
    ...(changes.length === 0 ? {} : { keyChanges: renderKeyChanges(changes) }),
    signer,
    openFile: async ({ key }) => E.mapLeft(whyNot)(await storage.open(key)),
    createdAt: systemRuntime.clock.date(),
    withData,
    verifiers: verifiers.right,
  });
};

const report = async (
  { records, events, decisions, files, checkpoint }: Packed,
  options: Options,
): Promise<ExitCode> => {
  const { out } = options;
  const { size: bytes } = await stat(out);
  const { origin, size } = checkpoint;
  const counts = [
    counted(records, 'record'),
    counted(events, 'event'),
    counted(decisions, 'decision'),
    counted(files, 'file'),
  ].join(', ');
  printFinding(
    options,
    `${out}: ${counts}, ${counted(bytes, 'byte')}; proven by the checkpoint of ${origin} over ${counted(size, 'event')}`,
    { out, records, events, decisions, files, bytes, checkpoint: { origin, size } },
  );
  return EXIT.ok;
};

const write = async (sources: PackSources, options: Options, signal: AbortSignal): Promise<ExitCode> => {
  const { out } = options;
  const progress = makeProgress('verifying');
  const packing = { signal, onVerified: (events: number) => progress.report(events) };
  try {
    const written = await writeWholeFile(out, options.force === true, (output) => writePack(sources, output, packing));
    progress.end();
    if (E.isRight(written)) return await report(written.right, options);
    return written.left._tag === 'FileExists' ? isThere(out) : failed(`no pack was made: ${messageOf(written.left)}`);
  } finally {
    progress.end();
  }
};

const pack = async (
  readModels: ReadModels,
  config: Config,
  streams: ReadonlyArray<StreamName>,
  options: Options,
  signal: AbortSignal,
): Promise<ExitCode> => {
  const storage = await openStorage(config, { runtime: systemRuntime });
  if (E.isLeft(storage)) return failed(storage.left.message);
  try {
    const withData = options.withoutData !== true;
    const sources = await gather(readModels, storage.right, config, streams, withData, signal);
    if (signal.aborted) return stopped();
    if (E.isLeft(sources)) return failed(`no pack was made: ${sources.left}`);
    const exported = {
      ...{ user: options.user, operation: 'ops audit pack', form: 'pack' },
      options: { 'without-data': options.withoutData?.toString() },
      records: streams.map((stream) => recordOf(readModels.registry, stream)),
    };
    return await afterRecording(config, makeAddReads(readModels.pool), exported, () =>
      write(sources.right, options, signal),
    );
  } catch (error) {
    if (signal.aborted) return stopped();
    if (isSystemError(error)) return failed(`no pack was made: ${options.out} was not written: ${messageOf(error)}`);
    throw error;
  } finally {
    await storage.right.space?.stop();
  }
};

export const addPack = (audit: Command, registry: Registry): void => {
  audit
    .command('pack')
    .description(
      'writes the whole history of records into one ZIP: events, files, a report to read, the proofs that all of it is in\n' +
        'the sealed log, and two programs that verify it without this one (docs/audit-pack.md)',
    )
    .argument('<record...>', recordsIn(registry), recordArgument(registry))
    .requiredOption('--out <file>', 'the ZIP to write; must not exist')
    .option('--without-data', 'leave out the data of all events, and the files: the rest can still be verified')
    .option('--force', 'replace the file of --out')
    .addOption(readingUserOption())
    .addOption(jsonOption('one JSON object: what is in the pack'))
    .action((streams: ReadonlyArray<StreamName>, options: Options) =>
      runCommand(async (config, signal) => {
        if (options.force !== true && (await exists(options.out))) return isThere(options.out);
        return withReadModels(config, registry, signal, (opened) => pack(opened, config, streams, options, signal));
      }),
    );
};
