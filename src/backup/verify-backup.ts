import type { EventKeys } from '../event-sourcing/event-key.js';
import { countSuspects, type SuspectMacs } from '../event-sourcing/operators/suspect-macs.js';
import type { StoredEvent } from '../event-sourcing/recorded-event.js';
import { either as E } from 'fp-ts';
import { makeChainVerifier } from '../event-sourcing/whole-log/chain-verifier.js';
import { keepChainEnds } from '../event-sourcing/whole-log/keep-chain-ends.js';
import type { SignedCheckpoint } from '../read/sealed-tree.js';
import { hashFromBase64 } from '../seal/base64.js';
import { parseVerifier, type Verifier } from '../seal/note-key.js';
import { makeCheckpointCheck } from '../sealing/checkpoint-check.js';
import type { KnownKey } from '../sealing/kept-checkpoint.js';
import { keysOf } from '../sealing/seal-history.js';
import { recordedCheckpoints, verifiedEvents } from './backed-up-log.js';
import { BackupFault } from './backup-fault.js';
import type { BackupPlace } from './backup-place.js';
import { CopiedFiles, type OpenEvents } from './copied-files.js';
import { faultOfFile } from './copy-file.js';
import type { Lacking, Manifest } from './manifest.js';
import { readSecrets } from './secrets.js';
import type { Random } from '../event-sourcing/random.js';

/** What is wrong with a backup: a file of an event, or in words what else. */
export type BackupFinding = Lacking | { readonly kind: 'changed' | 'checkpoint'; readonly reason: string };

export type VerifiedBackup = {
  readonly events: number;
  readonly streams: number;
  /** Files that are as their events say, and bytes of all of them. */
  readonly files: number;
  readonly fileBytes: number;
  readonly checkpoints: number;
  /** Each of them is one of the checkpoint beside it. */
  readonly timestamps: number;
  /** Those checkpoints that were compared: of the origin in force, and of a key that the manifest has. */
  readonly compared: number;
  readonly faults: number;
  /** Which are no faults of the backup. */
  readonly suspects: SuspectMacs;
  /** False when `signal` ended it. */
  readonly isComplete: boolean;
};

type Verifying = {
  readonly random: Random;
  /** By which events are found of which nobody can say that the service has sealed them; none: nothing is looked for. */
  readonly keys: EventKeys;
  readonly isSealed: (event: StoredEvent) => boolean;
  readonly open: OpenEvents;
  /** Whether the files are read, too. */
  readonly withFiles: boolean;
  /** Whether the secrets are. */
  readonly withSecrets: boolean;
  readonly onFinding: (finding: BackupFinding) => void;
  /** Events so far. */
  readonly onEvents: (events: number) => void;
  readonly signal: AbortSignal;
};

const keyIn = (text: string): Verifier => {
  const verifier = parseVerifier(text);
  if (E.isLeft(verifier)) throw new BackupFault(`manifest.json: ${verifier.left}`);
  return verifier.right;
};

/** Those that the manifest names. Throws `BackupFault` where one of them is none. */
const knownKeys = ({ key, earlier = [] }: NonNullable<Manifest['seal']>): ReadonlyArray<KnownKey> => [
  ...earlier.map(({ size, root, ...replaced }) => {
    const hash = hashFromBase64(root);
    if (hash === undefined) throw new BackupFault('manifest.json: the root of a key that was replaced is none');
    return { verifier: keyIn(replaced.key), last: { size, root: hash } };
  }),
  { verifier: keyIn(key) },
];

/**
 * Those of the origin in force are compared with the tree of the events that pass by. One that another key has signed is no
 * fault of the backup: the key was changed since, or the installation is itself a copy.
 */
const checkpointCheck = async (
  { archive, ...place }: BackupPlace,
  manifest: Manifest,
  { isSealed, signal }: Verifying,
  onFault: (reason: string) => void,
) => {
  let checkpoints = 0;
  let ofOtherKeys = 0;
  const all = async function* (): AsyncGenerator<SignedCheckpoint> {
    for await (const each of archive.all()) {
      signal.throwIfAborted();
      checkpoints += 1;
      yield each;
    }
    for await (const each of recordedCheckpoints(place, manifest)) {
      checkpoints += 1;
      yield each;
    }
  };
  const keys = manifest.seal === null ? undefined : knownKeys(manifest.seal);
  const check = await makeCheckpointCheck({
    isSealed,
    origin: manifest.seal?.origin,
    findKeys: keys === undefined ? () => [] : keysOf({ keys }),
    tree: undefined,
    archive: keys === undefined ? undefined : { all },
    witnesses: [],
    onFault: ({ kind, reason }) => {
      if (kind === 'checkpoint-unknown-key') ofOtherKeys += 1;
      else onFault(reason);
    },
  });
  if (keys === undefined) for await (const _each of all());
  const compared = (): number => check.counts().fitting + check.counts().differing - ofOtherKeys;
  return { ...check, checkpoints: () => checkpoints, compared };
};

/** Whether all secrets are there and unchanged; one that is not does not keep the rest from being read. */
const verifySecrets = async (
  place: BackupPlace,
  manifest: Manifest,
  found: (finding: BackupFinding) => void,
): Promise<void> => {
  try {
    await readSecrets(place, manifest);
  } catch (error) {
    if (!(error instanceof BackupFault)) throw error;
    found({ kind: 'changed', reason: error.message });
  }
};

/**
 * Reads a whole backup: the secrets, each segment against the manifest, each chain to its end, each file against its event,
 * and the checkpoints against the tree of the events. Remembers about 65 bytes a stream and 40 a checkpoint. Behind a
 * segment that was changed the log is not read on. Rejects with errors of the place.
 */
export const verifyBackup = async (
  place: BackupPlace,
  manifest: Manifest,
  verifying: Verifying,
): Promise<VerifiedBackup> => {
  const { random, withFiles, withSecrets, onEvents, signal } = verifying;
  const chains = makeChainVerifier(keepChainEnds(random));
  const isEnded = (): boolean => signal.aborted;
  const suspects = countSuspects({ ...verifying, before: 0 });
  let faults = 0;
  let [checkpoints, timestamps, compared] = [0, 0, 0];
  let isRead = true;
  const found = (finding: BackupFinding): void => {
    faults += 1;
    verifying.onFinding(finding);
  };
  const files = new CopiedFiles((file) => faultOfFile(place.files, file), found, verifying.open);
  if (withSecrets) await verifySecrets(place, manifest, found);
  try {
    const check = await checkpointCheck(place, manifest, verifying, (reason) => found({ kind: 'checkpoint', reason }));
    checkpoints = check.checkpoints();
    for await (const _each of place.timestamps.all()) {
      signal.throwIfAborted();
      timestamps += 1;
    }
    for await (const events of verifiedEvents(place, manifest, chains)) {
      await check.take(events);
      events.forEach(suspects.take);
      if (withFiles) for (const event of events) await files.take(event);
      onEvents(chains.events());
      if (isEnded()) break;
    }
    if (!isEnded()) await check.end();
    compared = check.compared();
  } catch (error) {
    if (!isEnded() && !(error instanceof BackupFault)) throw error;
    isRead = false;
    if (error instanceof BackupFault) found({ kind: 'changed', reason: error.message });
  }
  const copied = await files.ended();
  if (!isEnded() && isRead && chains.events() !== manifest.events)
    found({ kind: 'changed', reason: `it has ${chains.events()} events, the manifest says ${manifest.events}` });
  const [events, streams] = [chains.events(), chains.streams()];
  return {
    events,
    streams,
    ...copied,
    checkpoints,
    timestamps,
    compared,
    faults,
    suspects: suspects.counts(),
    isComplete: !isEnded(),
  };
};
