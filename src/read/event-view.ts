import { isAscii } from 'node:buffer';
import { either as E } from 'fp-ts';
import { canonicalString } from '../event-sourcing/canonical-json.js';
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

/**
 * What an answer shows of an event beside its columns: the decoded event, and JSON texts from its envelope, a character
 * for each byte.
 */
type Shown<Event> = {
  readonly event: Event;
  readonly actor: string;
  readonly at: string;
  readonly hash: string;
};

// eslint-disable-next-line no-control-regex -- ASCII
const ASCII = /^[\u0000-\u007f]*$/;

/**
 * A text with a character for each byte of its UTF-8. Answers are put together of such texts, because most parts of them
 * are bytes that are passed on: as strings, V8 joins them in less time than Buffers are copied one by one.
 */
const asBytes = (text: string): string => (ASCII.test(text) ? text : Buffer.from(text).toString('latin1'));

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
    return {
      event,
      actor: asBytes(JSON.stringify(actor)),
      at: asBytes(JSON.stringify(at)),
      hash: asBytes(JSON.stringify(hash)),
    };
  };

  /** Decodes the envelope only where it is not as this program writes it. */
  const shownOf = (bytes: EventBytes, data: Buffer, metadata: string): Shown<Event> => {
    const texts = envelopeTexts(metadata);
    if (texts?.schemaVersion !== schemaVersionOf(bytes.type)) return decoded(bytes);
    const event = currentEvent(bytes.type, isAscii(data) ? data.toString('latin1') : data.toString());
    if (event === undefined) return decoded(bytes);
    return { event, actor: `"${texts.actor}"`, at: `"${texts.at}"`, hash: `"${texts.hash}"` };
  };

  /** The members that all events of an entity have in common. */
  const membersOf = (id: string): string =>
    asBytes(`,"entity":${JSON.stringify(id)},"entityType":${JSON.stringify(entityType)},"refs":`);

  const rendered = (bytes: EventBytes, entity: string, stream: string | undefined): string => {
    const { data } = bytes;
    const metadata = bytes.metadata.toString('latin1');
    const { event, actor, at, hash } = shownOf(bytes, data, metadata);
    const { type, message, refs } = describe(event);
    const described = asBytes(
      `{"_id":${canonicalString(bytes.id)},"type":"${type}","message":${canonicalString(message)},"user":`,
    );
    const shownRefs = refs.length === 0 ? '[]' : asBytes(JSON.stringify(refs));
    const name = asBytes(canonicalString(bytes.type));
    const proof = stream === undefined ? '' : `${stream}${metadata}`;
    return (
      `${described}${actor}${entity}${shownRefs},"name":${name},"at":${at},"revision":${bytes.revision},` +
      `"hash":${hash},"data":${data.toString('latin1')}${proof}}`
    );
  };

  return (events, proof, before, after) => {
    const [first] = events;
    if (first === undefined) return Buffer.from(`${before}${after}`);
    const entity = membersOf(entityIdOf(first.stream));
    const stream = proof ? asBytes(`,"stream":${JSON.stringify(first.stream)},"metadata":`) : undefined;
    let text = before;
    let separator = '';
    for (const event of events) {
      text += separator + rendered(event, entity, stream);
      separator = ',';
    }
    return Buffer.from(text + after, 'latin1');
  };
};
