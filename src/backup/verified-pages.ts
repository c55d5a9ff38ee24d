import { either as E } from 'fp-ts';
import type { EventStore } from '../event-sourcing/event-store.js';
import type { From, Position, StoredEvent } from '../event-sourcing/recorded-event.js';
import { lookUpChainEnds } from '../event-sourcing/whole-log/chain-ends.js';
import { makeChainVerifier } from '../event-sourcing/whole-log/chain-verifier.js';
import { BackupFault } from './backup-fault.js';

/** Pages of the log behind `after` and up to `head`, of which every chain was verified. Throws `BackupFault`. */
export async function* verifiedPages(
  store: Pick<EventStore, 'readAll' | 'readStream'>,
  after: From,
  head: Position,
): AsyncGenerator<ReadonlyArray<StoredEvent>, undefined> {
  const ends = lookUpChainEnds(store);
  const chains = makeChainVerifier(ends);
  for await (const { events } of store.readAll({ after })) {
    const ours = events.filter(({ position }) => position <= head);
    await ends.prepare(ours);
    for (const event of ours) {
      const linked = chains.verify(event);
      if (E.isLeft(linked))
        throw new BackupFault(
          `the chain of ${event.stream} is broken at revision ${event.revision}, event ${event.id}: ${linked.left.reason}. See ops log verify`,
        );
    }
    if (ours.length > 0) yield ours;
    if (ours.length < events.length || events.at(-1)?.position === head) return;
  }
}
