import { makeLedgerSource } from '../../../projections/engine/verify/ledger/ledger-source.js';
import { verifyRows } from '../../../projections/engine/verify/verify-rows.js';
import { sealedBy } from '../../../projections/ledger.js';
import { ledgerOf, projectionsOf, registry } from '../../../src/entities/registry.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Random } from '../../../src/event-sourcing/random.js';
import { keepChainEnds } from '../../../src/event-sourcing/whole-log/keep-chain-ends.js';
import type { LogFault } from '../../../src/event-sourcing/whole-log/log-fault.js';
import { verifyLog } from '../../../src/event-sourcing/whole-log/verify-log.js';
import { checkpointSigners } from '../../../src/infrastructure/checkpoint-signer.js';
import { sharedEventKeys } from '../../../src/infrastructure/event-keys.js';
import { placesOfCheckpoints } from '../../../src/infrastructure/open-storage.js';
import { archiveToVerify } from '../../../src/infrastructure/verification/archive-to-verify.js';
import { findSeal } from '../../../src/infrastructure/verification/find-seal.js';
import { makeLogChecks } from '../../../src/infrastructure/verification/log-checks.js';
import { verifyFiles } from '../../../src/read/verify-files.js';
import { readWitness } from '../../../src/sealing/read-witness.js';
import { memoryConfig } from '../../support/memory-adapters/memory-config.js';
import { right } from '../../support/sealed-tree.js';
import type { Notebook } from '../notebook.js';
import type { Shared } from '../service.js';

/** The log as a process has it that knows all that was erased. */
const openLog = async ({ store, erasures }: Shared): Promise<EventStore> => erasures?.open(store, 'it is') ?? store;

/** Rows are what their streams make. */
export const checkRows = async (shared: Shared, { breaks }: Notebook): Promise<void> => {
  const { storage } = shared;
  const store = await openLog(shared);
  for (const projection of projectionsOf(registry))
    await verifyRows(storage, store, projection, {
      sample: undefined,
      onDrift: ({ stream, kind, fields }) => {
        breaks(`${stream} ${kind} ${fields.join()}`);
        return Promise.resolve();
      },
      onChecked: () => undefined,
      signal: new AbortController().signal,
    });
};

/** As `ops log verify`: chains and macs, the ledger, the tiles of its tree and every checkpoint are those of the log. */
export const checkLog = async (
  shared: Shared,
  checkpointKey: string,
  kept: ReadonlyArray<Buffer>,
  random: Random,
  notes: Notebook,
): Promise<void> => {
  const { storage, seal, files } = shared;
  const store = await openLog(shared);
  const { signal } = new AbortController();
  const onFault = ({ kind, reason }: LogFault): void => notes.breaks(`the log: ${kind}: ${reason}`);
  const config = memoryConfig(checkpointKey);
  const ledger = ledgerOf(registry);
  const { tree, findNoted } = seal(ledger.name, placesOfCheckpoints(config));
  const [signer] = right(await checkpointSigners(random, config));
  const history = await findSeal(store, { own: signer?.verifier });
  if (typeof history === 'string') throw new Error(history);
  const keys = right(await sharedEventKeys(random, config));
  const { checks, unchecked, checkpoints } = await makeLogChecks(
    store,
    ledger,
    {
      source: makeLedgerSource(storage, ledger),
      tree,
      findNoted,
      archive: archiveToVerify(files.checkpoints, onFault, signal),
      seal: history,
      keys,
      kept: kept.map((bytes) => right(readWitness(bytes, 'by a client', history.findKeys))),
    },
    onFault,
  );
  const { events, withMac } = await verifyLog(store, {
    keys,
    chainEnds: keepChainEnds(random),
    checks,
    isSealed: sealedBy(ledger),
    onFault,
    onPage: () => undefined,
    signal,
  });
  for (const { what } of unchecked) notes.breaks(`the log was not verified: ${what}`);
  if (withMac !== events) notes.breaks(`of ${events} events ${withMac} have a mac`);
  if ((checkpoints?.().fitting ?? 0) === 0) notes.breaks('there is no checkpoint of the log');
};

/** The file of each event is kept, as that event says, also where a later one has taken its place. */
export const checkFiles = async (shared: Shared, notes: Notebook): Promise<void> => {
  await verifyFiles(
    { store: await openLog(shared), open: shared.files.open },
    {
      onFinding: ({ kind, documentId, revision }) => notes.breaks(`the file of ${documentId} ${revision} is ${kind}`),
      onNamed: () => undefined,
      onChecked: () => undefined,
      signal: new AbortController().signal,
    },
  );
};
