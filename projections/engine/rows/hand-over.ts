import type { Decisions } from '../../../src/event-sourcing/decisions.js';
import type { StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import type { Projection } from '../../projection.js';
import type { ParkedStreams } from '../parked/parked-streams.js';
import type { Entity } from './rows.js';

/** What a projector that shares its process with commands is given by them. */
export type HandOver = { readonly decisions: Decisions; readonly parked: ParkedStreams };

/**
 * The entity after `events`, all of one stream, as the command left it that made the last of them. Undefined when they
 * have to be folded: the command ran elsewhere or long ago, an event of the stream is parked or skipped, or `known`, as
 * the row is known to be, is not what precedes the events.
 */
export const entityHandedOver = (
  { decisions, parked }: HandOver,
  { skipped }: Projection,
  id: string,
  known: Entity | undefined,
  events: ReadonlyArray<StoredEvent>,
): Entity | undefined => {
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const decision = decisions.endedBy(last);
  if (decision === undefined || parked.mayHave(first.stream) || skipped?.streams.has(first.stream) === true)
    return undefined;
  if (known !== undefined && (known.isParked || known.revision !== first.revision - 1n)) return undefined;
  const { state, createdAt, lastHash, lastAt, hasKeyedCommands } = decision;
  const creationPosition =
    first.revision === 0n ? first.position : (decision.creationPosition ?? known?.creationPosition);
  if (creationPosition === undefined) return undefined;
  const summary = { lastHash, lastAt, hasKeyedCommands };
  const times = { createdAt, updatedAt: lastAt };
  return { id, state, revision: last.revision, creationPosition, ...times, isParked: false, summary };
};
