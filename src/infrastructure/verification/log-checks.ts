import { makeLedgerCheck } from '../../../projections/engine/verify/ledger/ledger-check.js';
import type { LedgerSource } from '../../../projections/engine/verify/ledger/ledger-source.js';
import { failureIn, isTransient } from '../../../projections/engine/engine-failure.js';
import { type Ledger, sealedBy } from '../../../projections/ledger.js';
import type { EventKeys } from '../../event-sourcing/event-key.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import type { LogCheck } from '../../event-sourcing/whole-log/log-check.js';
import { type OnLogFault, unsignedFault } from '../../event-sourcing/whole-log/log-fault.js';
import { makeStrayCheck } from '../../event-sourcing/whole-log/stray-check.js';
import { makeTruncationCheck } from '../../event-sourcing/whole-log/truncation-check.js';
import { type CheckpointCounts, makeCheckpointCheck, type Witness } from '../../sealing/checkpoint-check.js';
import type { CheckpointArchive } from '../../sealing/checkpoint-archive.js';
import { makeNotedCheck, type NotedCheckpoints } from '../../sealing/noted-check.js';
import { type FindKeys, rememberKeys } from '../../sealing/kept-checkpoint.js';
import { changesInForce, type SealHistory } from '../../sealing/seal-history.js';
import type { SealedTree, SignedCheckpoint } from '../../read/sealed-tree.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';
import { PassOver } from './patient-ports.js';

/** How origin and key came to be in force, and the keys by which checkpoints are known. */
type Seal = { readonly history: SealHistory; readonly findKeys: FindKeys };

/**
 * What a log is compared with. A text in its place says why it could not be opened; in that of `seal`, that there is no key.
 */
export type LogWitnesses = {
  readonly source: LedgerSource | string;
  readonly tree: Pick<SealedTree, 'checkpoints' | 'cosigned' | 'newestOf' | 'cosignedOf'> | string;
  readonly archive: Pick<CheckpointArchive, 'all'> | string;
  /** What Postgres has noted of an origin's checkpoints in that storage; absent where it is not to be asked. */
  readonly findNoted?: (origin: string) => Promise<NotedCheckpoints>;
  readonly seal: Seal | string;
  /** By which it is known which erasures count. */
  readonly keys: EventKeys;
  /** What auditors kept at home. */
  readonly kept: ReadonlyArray<Witness>;
};

/** What is not compared. */
export type Unchecked = {
  /** What, and why: a sentence. */
  readonly what: string;
  /** True where it could not be read; false where there is none of it, or no key. */
  readonly isUnread: boolean;
};

export type LogChecks = {
  readonly checks: ReadonlyArray<LogCheck>;
  readonly unchecked: ReadonlyArray<Unchecked>;
  /** Undefined for what is not compared. */
  readonly ledger: (() => { readonly compared: number; readonly notYet: number }) | undefined;
  readonly checkpoints: (() => CheckpointCounts) | undefined;
  /** Checkpoints of the origin in force that were put into another storage of files, and are not looked for. */
  readonly putElsewhere: number;
  /** The restarts of the seal and the changes of its key that count, the oldest first. */
  readonly sealed: Pick<SealHistory, 'restarts' | 'keyChanges'>;
};

/** What keys of the origin in force sealed last, as both keys say. */
const lastOfReplaced = (history: SealHistory): ReadonlyArray<Witness> =>
  changesInForce(history).map(({ last }) => ({ ...last, where: 'in the decision that replaced its key' }));

/**
 * The checks of a log beside its chains and macs: streams of which the store hides something, and ledger, tiles and
 * checkpoints, as far as they are at hand.
 */
export const makeLogChecks = async (
  store: Pick<EventStore, 'readStream' | 'readTruncations' | 'readStrays'>,
  ledger: Ledger,
  { source, tree, archive, seal, keys, kept, findNoted }: LogWitnesses,
  onFault: OnLogFault,
): Promise<LogChecks> => {
  const unchecked: Array<Unchecked> = [];
  const unlessAway = async <A>(what: string, make: () => Promise<A>): Promise<A | undefined> => {
    try {
      return await make();
    } catch (error) {
      if (!isTransient(error)) throw error;
      unchecked.push({
        what: `${what}: ${reasonOf(error)}`,
        isUnread: failureIn(error, 'NoLiveRows') === undefined,
      });
      return undefined;
    }
  };
  const unless = <A>(what: string, witness: A | string, isUnread: boolean): A | undefined => {
    if (typeof witness !== 'string') return witness;
    unchecked.push({ what: `${what}: ${witness}`, isUnread });
    return undefined;
  };
  const opened = <A>(what: string, witness: A | string): A | undefined => unless(what, witness, true);

  /** The storage has errors of many kinds, of which each says no more than that it could not be read. */
  async function* readable(all: AsyncIterable<SignedCheckpoint>): AsyncGenerator<SignedCheckpoint> {
    try {
      yield* all;
    } catch (error) {
      if (error instanceof PassOver) throw error;
      const what = `not all checkpoints in the file storage were compared: ${reasonOf(error)}`;
      unchecked.push({ what, isUnread: true });
    }
  }

  const rows = opened('the ledger was not compared', source);
  const compared =
    rows &&
    (await unlessAway('the ledger was not compared', () =>
      makeLedgerCheck({ store, keys, ledger, source: rows, onFault }),
    ));

  const sealed = unless('the kept checkpoints were not compared', seal, false);
  for (const event of sealed?.history.unsigned ?? []) onFault(unsignedFault(event));
  const inPostgres = sealed && opened('the checkpoints in Postgres were not compared', tree);
  const inStorage = sealed && opened('the checkpoints in the file storage were not compared', archive);
  // before the storage is read: what is noted was there then
  const noted =
    sealed &&
    inPostgres &&
    findNoted &&
    (await unlessAway('what was put into the file storage was not looked for', () => findNoted(sealed.history.origin)));
  const notedCheck = noted && makeNotedCheck(noted, onFault);
  const checkpoints =
    sealed === undefined && kept.length === 0
      ? undefined
      : await unlessAway('the checkpoints were not compared', () =>
          makeCheckpointCheck({
            isSealed: sealedBy(ledger),
            origin: sealed?.history.origin,
            findKeys: rememberKeys(sealed?.findKeys ?? (() => [])),
            tree: inPostgres && {
              ...inPostgres,
              checkpoints: () => notedCheck?.watch('Postgres', inPostgres.checkpoints()) ?? inPostgres.checkpoints(),
            },
            archive: inStorage && {
              all: () => readable(notedCheck?.watch('Storage', inStorage.all()) ?? inStorage.all()),
            },
            witnesses: [...kept, ...(sealed === undefined ? [] : lastOfReplaced(sealed.history))],
            onFault,
          }),
        );
  // after the checkpoints: all of them have passed by then
  const removed = checkpoints && notedCheck?.check;
  return {
    checks: [
      compared,
      checkpoints,
      removed,
      makeTruncationCheck(store, onFault),
      makeStrayCheck(store, onFault),
    ].filter((check) => check !== undefined),
    unchecked,
    ledger: compared?.counts,
    checkpoints: checkpoints?.counts,
    putElsewhere: noted?.elsewhere ?? 0,
    sealed: sealed?.history ?? { restarts: [], keyChanges: [] },
  };
};
