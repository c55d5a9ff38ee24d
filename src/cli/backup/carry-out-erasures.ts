import { readFile } from 'node:fs/promises';
import { either as E } from 'fp-ts';
import { erase, type ErasePorts, finishErasures, type Left } from '../../application/erasure/erase.js';
import type { RecordToErase } from '../../application/erasure/find-events.js';
import { findRecordedErased } from '../../application/erasure/record-erased.js';
import { backedUpLog } from '../../backup/backed-up-log.js';
import { readTreeFile } from '../../backup/backed-up-keys.js';
import { BackupFault } from '../../backup/backup-fault.js';
import type { BackupPlace } from '../../backup/backup-place.js';
import { type LaterErasures, laterErasures, NONE_LATER, readListed, recordsOf } from '../../backup/later-erasures.js';
import type { Manifest } from '../../backup/manifest.js';
import type { Config } from '../../config.js';
import { encryptionRulesOf, type Registry } from '../../entities/registry.js';
import { orThrow } from '../../event-sourcing/attempt.js';
import { encryptedStore } from '../../event-sourcing/encryption/encrypted-store.js';
import {
  heldStream,
  readErasureDecisions,
  recordErasureDecision,
} from '../../event-sourcing/erasure/erasure-decisions.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';
import { sharedEventKeys } from '../../infrastructure/event-keys.js';
import { openKeys } from '../../infrastructure/open-stores.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';
import { printNote } from '../output.js';
import type { Installation } from './restore-target.js';

/** What is to be erased where a backup is restored, by a list that was kept elsewhere. Throws `BackupFault`. */
export const readLaterErasures = async (
  list: string | undefined,
  place: BackupPlace,
  manifest: Manifest,
  { erasure }: Config,
): Promise<LaterErasures> => {
  if (list === undefined) return NONE_LATER;
  if (!erasure) throw new BackupFault('nothing can be erased without ERASURE: set it, and ERASURE_KEY');
  if ((await readTreeFile(place)) === undefined)
    throw new BackupFault('the data of its log is not encrypted, so that nothing of it can be erased');
  const text = await readFile(list, 'utf8').catch((error: unknown) => {
    throw new BackupFault(`${list} cannot be read: ${reasonOf(error)}`);
  });
  const later = await laterErasures(backedUpLog(place, manifest), readListed(text, list, manifest.log));
  for (const stream of later.notInBackup)
    printNote(`${stream.replace('-', '/')}: the backup is from before what was erased of it, and has nothing of that`);
  return later;
};

const notRecorded = async (
  log: Pick<EventStore, 'readStream'>,
  records: ReadonlyArray<RecordToErase>,
): Promise<ReadonlyArray<RecordToErase>> => {
  const left: Array<RecordToErase> = [];
  for (const record of records) if ((await findRecordedErased(log, record)) === undefined) left.push(record);
  return left;
};

/** Whether the log says of all of this that it was erased. Throws `StoreUnavailable`. */
export const areRecorded = async (log: Pick<EventStore, 'readStream'>, later: LaterErasures): Promise<boolean> =>
  (await notRecorded(log, recordsOf(later))).length === 0;

/** Who was held in the backup and erased afterwards was released in between, which the restored log has to say, too. */
const release = async (
  { runtime, store, keys }: ErasePorts,
  records: ReadonlyArray<RecordToErase>,
  actor: string,
): Promise<void> => {
  for (const held of (await readErasureDecisions(store, keys)).held) {
    const { entityType, entity } = held;
    if (!records.some(({ stream }) => stream === heldStream(held))) continue;
    const data = { entityType, entity, reason: 'restored: it was released, and erased, after the backup' };
    const released = { event: { type: 'RecordReleased' as const, data }, actor };
    // nobody else decides anything in a log that is being restored
    const recorded = await recordErasureDecision(runtime, store, released, () => false, keys);
    if (E.isLeft(recorded)) throw new Error('that records are released cannot be recorded', { cause: recorded.left });
  }
};

/** There are none yet: a service makes them of what the log says by then. */
const NO_ROWS: ErasePorts['rows'] = {
  reach: () => Promise.resolve(undefined),
  rewrite: () => Promise.resolve(),
  forget: () => Promise.resolve(),
  look: () => Promise.resolve([]),
};

const describe = ({ where, what, why }: Left): string => `${where}: ${what}: ${why}`;

/**
 * Erases in a restored log what its backup does not know to be erased, as `ops erase run` does, and ends what was begun and not
 * ended there. Repeating it goes on. Left: what of it is left all the same, or why nothing could be done.
 */
export const carryOutErasures = async (
  { log, url, storage }: Installation,
  { erasures }: LaterErasures,
  { config, registry }: { readonly config: Config; readonly registry: Registry },
  actor: string,
): Promise<E.Either<string, void>> => {
  if (erasures.length === 0) return E.right(undefined);
  const opening = { runtime: systemRuntime, processKind: 'operator', rules: encryptionRulesOf(registry) } as const;
  const opened = await openKeys(config, log, url, opening);
  if (E.isLeft(opened)) return E.left(opened.left.message);
  const { encryption, keyControl, close } = opened.right;
  try {
    if (encryption === undefined || keyControl === undefined) return E.left('the keys of the log are missing');
    const ports: ErasePorts = {
      runtime: systemRuntime,
      store: encryptedStore(log, encryption),
      keys: orThrow(await sharedEventKeys(systemRuntime.random, config)),
      destroy: keyControl.destroy,
      files: storage,
      rows: NO_ROWS,
      onStep: () => undefined,
    };
    const left = [...(await finishErasures(ports)).left];
    for (const { basis, records } of erasures) {
      const some = await notRecorded(log, records);
      if (some.length === 0) continue;
      await release(ports, some, actor);
      left.push(...(await erase(ports, some, { actor, basis })));
    }
    return left.length === 0 ? E.right(undefined) : E.left(`left all the same: ${left.map(describe).join('; ')}`);
  } finally {
    await close();
  }
};
