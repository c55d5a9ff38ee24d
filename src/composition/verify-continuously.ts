import type { Projections } from '../../projections/engine/run/start-projections.js';
import { makeLedgerSource } from '../../projections/engine/verify/ledger/ledger-source.js';
import type { Config } from '../config.js';
import { ledgerOf, type Registry } from '../entities/registry.js';
import { orThrow } from '../event-sourcing/attempt.js';
import { decisionStream, ERASURE_STREAM, SEAL_STREAM } from '../event-sourcing/operators/decision-events.js';
import { logVerification } from '../infrastructure/logging/log-verification.js';
import type { Logger } from '../infrastructure/logging/logger.js';
import type { Metrics } from '../infrastructure/metrics/metrics.js';
import { makeVerificationMetrics } from '../infrastructure/metrics/verification-metrics.js';
import { placesOfCheckpoints, type Storage } from '../infrastructure/open-storage.js';
import { archiveToVerify } from '../infrastructure/verification/archive-to-verify.js';
import { findSeal } from '../infrastructure/verification/find-seal.js';
import { watchLog } from '../infrastructure/verification/watch-log.js';
import type { Adapters, ServiceStores } from './adapters.js';
import type { Started } from './started.js';
import type { Runtime } from '../event-sourcing/runtime.js';

type VerifyContext = {
  readonly runtime: Runtime;
  readonly config: Config;
  readonly log: Logger;
  readonly adapters: Pick<Adapters, 'keys'>;
  readonly started: Started;
  readonly metrics: Metrics;
  readonly registry: Registry;
};

/** One for the rows that are compared, one for those that are read meanwhile, one for checkpoints. */
const CONNECTIONS = 3;

/** By the text of a warning of `/readyz`: whether it is given. */
type Warnings = Readonly<Record<string, () => boolean>>;

/**
 * Verifies the whole log again and again in the process that projects the ledger, and says what it finds in the log of the
 * process, in the metrics and as a warning. Throws an error that names what is wrong with a key.
 */
export const verifyContinuously = async (
  { config, log, runtime, adapters, started, metrics, registry }: VerifyContext,
  {
    store,
    readModels,
    storage,
  }: Pick<ServiceStores, 'store' | 'readModels'> & { readonly storage: Pick<Storage, 'checkpoints'> },
  { byName }: Projections,
): Promise<Warnings> => {
  if (!config.parts.projector) return {};
  const ledger = ledgerOf(registry);
  const { status } = byName(ledger.name);
  const [signer] = orThrow(await adapters.keys.checkpointSigners(runtime.random, config));
  const eventKeys = orThrow(await adapters.keys.eventKeys(runtime.random, config));
  const connections = { name: 'log-verification', connections: CONNECTIONS } as const;
  const seal = readModels.seal(ledger.name, placesOfCheckpoints(config), connections);
  started.add(seal.storage.close);
  const [lines, counts] = [logVerification(log), makeVerificationMetrics(runtime.clock, metrics)];
  const watching = watchLog({
    runtime,
    store,
    decisionStreams: [
      SEAL_STREAM,
      ERASURE_STREAM,
      ...registry.entities.map(({ projection }) => decisionStream(projection.name)),
    ],
    ledger,
    source: makeLedgerSource(seal.storage, ledger),
    tree: seal.tree,
    findNoted: seal.findNoted,
    archive: (onFault, signal) => archiveToVerify(storage.checkpoints, onFault, signal),
    findSeal: () => findSeal(store, { own: signer?.verifier }),
    keys: eventKeys,
    isVerifier: () => {
      const { projector } = status();
      return projector._tag === 'Projecting' && projector.role === 'live';
    },
    periodMs: config.verifyPeriod * 1_000,
    onFault: (fault) => {
      counts.countFault(fault.kind);
      lines.fault(fault);
    },
    onProgress: counts.setProgress,
    onPassEnded: (pass) => {
      counts.passEnded(pass);
      lines.passEnded(pass);
    },
    onUnchecked: lines.unchecked,
    onFailed: lines.failed,
  });
  started.add(watching.stop);
  return { 'the log, or what is kept of it, was changed: see ops log verify': watching.hasFaults };
};
