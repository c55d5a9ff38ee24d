import { either as E } from 'fp-ts';
import { canonicalJson } from '../event-sourcing/canonical-json.js';
import { envelopeTexts } from '../event-sourcing/envelope-texts.js';
import { entityIdOf } from '../event-sourcing/recorded-event.js';
import type { DomainEvent, Serde, UndecodableEvent } from '../event-sourcing/serde.js';
import { type EventBytes, storedEventOf } from '../event-sourcing/stream-page.js';
import type { Description } from './ref.js';

/** How the events of one kind of entity are described: `entityType`, and the message of each event. */
export type EventDescription<Event> = {
  readonly entityType: string;
  readonly describe: (event: Event) => Description;
};

/**
 * Raised by whoever changes what is rendered of the same events: entity tags contain it, and a client keeps an answer
 * for as long as its tag is the same.
 */
export const RENDERING = 1;

/** Thrown for an event that this program cannot read. */
export class UndecodableEventError extends Error {
  readonly undecodable: UndecodableEvent;
  constructor(undecodable: UndecodableEvent) {
    const { stream, revision } = undecodable.stored;
    super(`event ${String(revision)} of ${stream} cannot be read: ${undecodable.reason}`);
    this.name = 'UndecodableEventError';
    this.undecodable = undecodable;
  }
}

/** What an answer shows of an event beside its columns: the decoded event, and JSON texts from its envelope. */
type Shown<Event> = {
  readonly event: Event;
  readonly actor: string;
  readonly at: string;
  readonly hash: string;
};

const COMMA = 0x2c;
const CLOSING_BRACE = 0x7d;

/** Some events as the bytes of JSON texts with a comma between them; throws `UndecodableEventError`. */
export type RenderEvents = (
  events: ReadonlyArray<EventBytes>,
  proof: boolean,
  /** What stands before and after them, in ASCII. */
  before: string,
  after: string,
) => Buffer;

/**
 * Renders events as they are answered. Most of an answer is bytes as they are stored: `data`, and with `proof`
 * `metadata` and the name of the stream, all that a reader needs to recompute the hash.
 */
export const makeRenderEvents = <Event extends DomainEvent>(
  { decode, schemaVersionOf, currentEvent }: Serde<Event>,
  { entityType, describe }: EventDescription<Event>,
): RenderEvents => {
  const decoded = (bytes: EventBytes): Shown<Event> => {
    const outcome = decode(storedEventOf(bytes));
    if (E.isLeft(outcome)) throw new UndecodableEventError(outcome.left);
    const { event, metadata } = outcome.right;
    const { actor, at, hash } = metadata;
    return { event, actor: JSON.stringify(actor), at: JSON.stringify(at), hash: JSON.stringify(hash) };
  };

  /** Decodes the envelope only where it is not as this program writes it. */
  const shownOf = (bytes: EventBytes): Shown<Event> => {
    const texts = envelopeTexts(bytes.metadata);
    if (texts?.schemaVersion !== schemaVersionOf(bytes.type)) return decoded(bytes);
    const event = currentEvent(bytes.type, bytes.data.toString());
    if (event === undefined) return decoded(bytes);
    return { event, actor: `"${texts.actor}"`, at: `"${texts.at}"`, hash: `"${texts.hash}"` };
  };

  /** The members that all events of an entity have in common. */
  const membersOf = (id: string): string =>
    `,"entity":${JSON.stringify(id)},"entityType":${JSON.stringify(entityType)},"refs":`;

  /** The JSON text of an event up to its data. */
  const headOf = (bytes: EventBytes, entity: string): string => {
    const { event, actor, at, hash } = shownOf(bytes);
    const { type, message, refs } = describe(event);
    const shownRefs = refs.length === 0 ? '[]' : JSON.stringify(refs);
    return (
      `{"_id":${canonicalJson(bytes.id)},"type":"${type}","message":${canonicalJson(message)},"user":${actor}${entity}` +
      `${shownRefs},"name":${canonicalJson(bytes.type)},"at":${at},"revision":${Number(bytes.revision)},"hash":${hash},"data":`
    );
  };

  return (events, proof, before, after) => {
    const [first] = events;
    if (first === undefined) return Buffer.from(`${before}${after}`);
    const entity = membersOf(entityIdOf(first.stream));
    const stream = Buffer.from(proof ? `,"stream":${JSON.stringify(first.stream)},"metadata":` : '');
    let length = before.length + after.length + events.length - 1;
    const heads = events.map((event) => {
      const head = headOf(event, entity);
      length += Buffer.byteLength(head) + event.data.length + 1 + (proof ? stream.length + event.metadata.length : 0);
      return head;
    });
    const page = Buffer.allocUnsafe(length);
    let end = page.write(before);
    for (const [index, { data, metadata }] of events.entries()) {
      if (index > 0) page[end++] = COMMA;
      end += page.write(heads[index] ?? '', end);
      end += data.copy(page, end);
      if (proof) {
        end += stream.copy(page, end);
        end += metadata.copy(page, end);
      }
      page[end++] = CLOSING_BRACE;
    }
    page.write(after, end);
    return page;
  };
};
