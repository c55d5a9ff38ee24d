import type { EventStore } from '../event-sourcing/event-store.js';
import { hashIn } from '../event-sourcing/hash-chain.js';
import { checkpointOf, type From, type StoredEvent, type StreamName } from '../event-sourcing/recorded-event.js';
import { BackupFault } from './backup-fault.js';
import type { LastEvent, Manifest } from './manifest.js';

/** How an event is recognized in another reading of its log. */
export const lastEventOf = (event: StoredEvent): LastEvent => ({
  position: event.position.toString(),
  stream: event.stream,
  revision: event.revision.toString(),
  id: event.id,
  hash: hashIn(event) ?? null,
});

/** The event of a stream at a revision; undefined where there is none. Throws what the log throws. */
export const eventAt = async (
  store: Pick<EventStore, 'readStream'>,
  { stream, revision }: Pick<LastEvent, 'stream' | 'revision'>,
): Promise<StoredEvent | undefined> => {
  const from = BigInt(revision);
  // reason: a name that was written from one
  const name = stream as StreamName;
  for await (const page of store.readStream(name, { direction: 'forwards', from, limit: 1 }))
    for (const event of page) if (event.revision === from) return event;
  return undefined;
};

/** The same event in this log as it is now, which may have another position in a copy; undefined where it is none. */
export const findAgain = async (
  store: Pick<EventStore, 'readStream'>,
  wanted: LastEvent,
): Promise<StoredEvent | undefined> => {
  const event = await eventAt(store, wanted);
  if (event === undefined) return undefined;
  const { id, hash } = lastEventOf(event);
  return id === wanted.id && hash === wanted.hash ? event : undefined;
};

/** Where a backup ends in the log as it is now. Throws `BackupFault` unless that has the last event of every segment. */
export const endIn = async (
  store: Pick<EventStore, 'readStream'>,
  { segments }: Pick<Manifest, 'segments'>,
): Promise<From> => {
  let end: From = 'start';
  for (const { last } of segments) {
    const event = await findAgain(store, last);
    if (event === undefined)
      throw new BackupFault(
        `the log does not go on from this backup: it lacks, or has changed, revision ${last.revision} of ${last.stream}, event ${last.id}. ` +
          'Keep the backup, look for the reason (ops log verify), and back up into another directory',
      );
    end = checkpointOf(event);
  }
  return end;
};
