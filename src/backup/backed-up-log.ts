import { either as E, json as J } from 'fp-ts';
import * as t from 'io-ts';
import type { From, StoredEvent } from '../event-sourcing/recorded-event.js';
import { checkpointAt } from '../event-sourcing/recorded-event.js';
import type { ChainVerifier } from '../event-sourcing/whole-log/chain-verifier.js';
import type { CopySource } from '../event-sourcing/whole-log/copy-log.js';
import { BrokenLine, linesOf } from '../event-sourcing/whole-log/lines.js';
import { readExport } from '../event-sourcing/whole-log/read-export.js';
import type { SignedCheckpoint } from '../read/sealed-tree.js';
import { BackupFault } from './backup-fault.js';
import type { BackupPlace } from './backup-place.js';
import type { LogSegment, Manifest } from './manifest.js';
import { readSegment } from './segments.js';

type Segments = Pick<BackupPlace, 'openSegment'>;

/** For who reads events that were verified before. */
const UNCHECKED: ChainVerifier = { verify: () => E.right(undefined), events: () => 0, streams: () => 0 };

async function* eventsOf(
  place: Segments,
  segment: LogSegment,
  chains: ChainVerifier,
): AsyncGenerator<ReadonlyArray<StoredEvent>> {
  let count = 0;
  try {
    for await (const { events } of readExport(readSegment(place, segment), chains)) {
      count += events.length;
      yield events;
    }
  } catch (error) {
    if (error instanceof BrokenLine) throw new BackupFault(`${segment.name}: ${error.message}`, { cause: error });
    throw error;
  }
  if (count !== segment.events)
    throw new BackupFault(`${segment.name} has ${count} events, the manifest says ${segment.events}`);
}

/** All events of a backup in their order, of which every chain is verified. Throws `BackupFault`. */
export async function* verifiedEvents(
  place: Segments,
  { segments }: Pick<Manifest, 'segments'>,
  chains: ChainVerifier,
): AsyncGenerator<ReadonlyArray<StoredEvent>> {
  for (const segment of segments) yield* eventsOf(place, segment, chains);
}

/** The events behind a place, each with its number from 1 for a position: those of the log may not grow where it was moved. */
async function* numbered(
  place: Segments,
  { segments }: Pick<Manifest, 'segments'>,
  after: From,
): AsyncGenerator<ReadonlyArray<StoredEvent>> {
  const from = after === 'start' ? 0n : after.commit;
  let reached = 0n;
  for (const segment of segments) {
    const end = reached + BigInt(segment.events);
    if (end > from)
      for await (const events of eventsOf(place, segment, UNCHECKED)) {
        const first = reached + 1n;
        reached += BigInt(events.length);
        yield events
          .map((event, index) => ({ ...event, position: first + BigInt(index) }))
          .filter(({ position }) => position > from);
      }
    reached = end;
  }
}

/** The log of a backup, to be copied from. It throws `BackupFault` out of its iterators. */
export const backedUpLog = (place: Segments, manifest: Manifest): CopySource => ({
  identity: () => Promise.resolve(E.right(manifest.log)),
  head: () => Promise.resolve(E.right(manifest.events === 0 ? undefined : BigInt(manifest.events))),
  async *readAll({ after }) {
    for await (const events of numbered(place, manifest, after)) {
      const last = events.at(-1);
      if (last !== undefined) yield { events, checkpoint: checkpointAt(last.position) };
    }
  },
});

const Recorded = t.readonly(t.strict({ origin: t.string, size: t.number, note: t.string }));

/** The checkpoints that were in Postgres. Throws `BackupFault`. */
export async function* recordedCheckpoints(
  place: Segments,
  { checkpoints: { segments } }: Pick<Manifest, 'checkpoints'>,
): AsyncGenerator<SignedCheckpoint> {
  for (const segment of segments)
    for await (const { number, text } of linesOf(readSegment(place, segment))) {
      const decoded = E.chainW((value: unknown) => Recorded.decode(value))(J.parse(text));
      if (E.isLeft(decoded)) throw new BackupFault(`${segment.name}: line ${number} is no checkpoint`);
      yield decoded.right;
    }
}
