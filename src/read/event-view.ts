import { either as E } from 'fp-ts';
import { makeBoundedCache } from '../event-sourcing/bounded-cache.js';
import { ByteWriter } from '../event-sourcing/byte-writer.js';
import { byteStringOf } from '../event-sourcing/byte-string.js';
import { canonicalJson, canonicalString, type Json } from '../event-sourcing/canonical-json.js';
import { envelopeTexts } from '../event-sourcing/envelope-texts.js';
import { decodeUnlessErased, isPassedOver } from '../event-sourcing/passed-over.js';
import { partReason, partReasonOfBytes } from '../event-sourcing/reason.js';
import { entityIdOf } from '../event-sourcing/recorded-event.js';
import type { DomainEvent, Serde, UndecodableEvent } from '../event-sourcing/serde.js';
import { type EventBytes, storedEventOf } from '../event-sourcing/stream-page.js';
import { describeDestroyed } from './describe-erased.js';
import type { Description } from './ref.js';

/** How the events of one kind of entity are described: `entityType`, and the message of each event. */
export type EventDescription<Event> = {
  readonly entityType: string;
  readonly describe: (event: Event) => Description;
  /**
   * The members of events, at whatever depth, whose values a description contains or depends on; of all others it only
   * knows whether they are there. Without it, each event is decoded to be described.
   */
  readonly shown?: ReadonlyArray<string> | undefined;
};

/**
 * Raised by whoever changes what is rendered of the same events: entity tags contain it, and a client keeps an answer
 * for as long as its tag is the same.
 */
export const RENDERING = 3;

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

/** JSON texts of an answer, as byte strings: what stands between its id and its actor, and from its `refs` to its time. */
type Described = { readonly head: string; readonly refs: string; readonly description: Description };

/** And what it shows of the envelope, of the data, and of the reason that is stored with it. */
type ShownEvent = Described & {
  readonly actor: string;
  readonly at: string;
  readonly hash: string;
  /** Without the reason. */
  readonly data: string;
  readonly reason: string | undefined;
};

/** What is shown of an event. Throws `UndecodableEventError`. */
type ShowEvent = (bytes: EventBytes) => ShownEvent;

/** Some events as the bytes of JSON texts with a comma between them; throws `UndecodableEventError`. */
export type RenderEvents = (
  events: ReadonlyArray<EventBytes>,
  proof: boolean,
  /** What stands before and after them, in ASCII. */
  before: string,
  after: string,
  /** JSON texts, as byte strings: what each of the events changed, where that is to be shown. */
  diffs?: ReadonlyArray<string>,
) => Buffer;

/** Descriptions remembered, at most twice as many. There are few but for those that contain references. */
const REMEMBERED = 1_000;

const jsonOf = (text: string): string => byteStringOf(JSON.stringify(text));

const described = (name: string, description: Description): Described => {
  const { type, message, refs } = description;
  return {
    head: byteStringOf(`,"type":"${type}","message":${canonicalString(message)},"user":`),
    refs: byteStringOf(`${JSON.stringify(refs)},"name":${canonicalString(name)},"at":`),
    description,
  };
};

/** The members that all events of an entity have in common, as they stand between those of each. */
export const commonMembers = (entity: string, entityType: string): string =>
  byteStringOf(`,"entity":${JSON.stringify(entity)},"entityType":${JSON.stringify(entityType)},"refs":`);

/** The JSON of an event, as a byte string, from what is shown of it. With `proof`, which are members, data as it is stored. */
export const eventJson = (
  event: EventBytes,
  { head, actor, refs, at, hash, data, reason }: ShownEvent,
  common: string,
  proof?: string,
  diff?: string,
): string => {
  const { id, revision } = event;
  const why = reason === undefined ? '' : `,"reason":${reason}`;
  const changed = diff === undefined ? '' : `,"diff":${diff}`;
  return (
    `{"_id":${canonicalString(id)}${head}${actor}${common}${refs}${at},"revision":${revision},` +
    `"hash":${hash},"data":${proof === undefined ? data : event.data}${why}${changed}${proof ?? ''}}`
  );
};

/** Data as it is answered, where it was stored with a reason. */
const dataWithoutReason = (stored: string): string =>
  // reason: it has been decoded, and so is JSON
  byteStringOf(canonicalJson(partReason(JSON.parse(stored) as Json).data));

/** What an event takes beside what is stored of it, and beside what all events of its entity have in common. */
const ESTIMATED = 512;

/**
 * Finds what is shown of events. An event is only decoded where its outline does not tell how it is described, or its
 * envelope is not as this program writes it.
 */
export const makeShowEvent = <Event extends DomainEvent>(
  { decode, schemaVersionOf, outlines }: Serde<Event>,
  { describe, shown }: Omit<EventDescription<Event>, 'entityType'>,
): ShowEvent => {
  const findOutline = shown === undefined ? () => undefined : outlines(shown);
  // the key of a description is about as long as its references
  const sizeOf = ({ head, refs }: Described): number => head.length + 2 * refs.length;
  const descriptions = makeBoundedCache<string | number, Described>(REMEMBERED, sizeOf);

  const decoded: ShowEvent = (bytes) => {
    const stored = storedEventOf(bytes);
    const outcome = decodeUnlessErased<Event>({ decode }, stored);
    if (E.isLeft(outcome)) throw new UndecodableEventError(outcome.left);
    const { event, reason, metadata } = outcome.right;
    const { actor, at, hash } = metadata;
    return {
      ...described(stored.type, isPassedOver(event) ? describeDestroyed : describe(event)),
      actor: jsonOf(actor),
      at: jsonOf(at),
      hash: jsonOf(hash),
      data: reason === undefined ? bytes.data : dataWithoutReason(stored.data),
      reason: reason === undefined ? undefined : jsonOf(reason),
    };
  };

  return (bytes) => {
    const { type } = bytes;
    const texts = envelopeTexts(bytes);
    if (texts?.schemaVersion !== schemaVersionOf(type)) return decoded(bytes);
    const parted = partReasonOfBytes(bytes.data);
    if (parted === undefined) return decoded(bytes);
    const { data, reason } = parted;
    const outline = findOutline(type, data);
    if (outline === undefined) return decoded(bytes);
    let found = descriptions.get(outline.key);
    if (found === undefined) {
      found = described(type, describe(outline.event()));
      descriptions.set(outline.key, found);
    }
    const { head, refs, description } = found;
    const envelope = { actor: `"${texts.actor}"`, at: `"${texts.at}"`, hash: `"${texts.hash}"` };
    return { head, refs, description, ...envelope, data, reason };
  };
};

/**
 * Renders events as they are answered. Most of an answer is bytes as they are stored: `data`, and with `proof`
 * `metadata` and the name of the stream, all that a reader needs to recompute the hash. The reason of a change stands
 * beside `data`, and with `proof` also within it, as it is stored.
 */
export const makeRenderEvents = <Event extends DomainEvent>(
  serde: Serde<Event>,
  description: EventDescription<Event>,
): RenderEvents => {
  const show = makeShowEvent(serde, description);

  return (events, proof, before, after, diffs) => {
    const [first] = events;
    if (first === undefined) return Buffer.from(`${before}${after}`);
    const members = commonMembers(entityIdOf(first.stream), description.entityType);
    const stream = proof ? byteStringOf(`,"stream":${JSON.stringify(first.stream)},"metadata":`) : undefined;
    const bytes = new ByteWriter(
      events.reduce(
        (sum, { dataSize, metadataSize }) => sum + dataSize + (proof ? metadataSize : 0),
        events.length * (members.length + ESTIMATED) + (diffs ?? []).reduce((sum, { length }) => sum + length, 0),
      ),
    );
    events.forEach((event, index) => {
      const shownProof = stream === undefined ? undefined : `${stream}${event.metadata}`;
      const json = eventJson(event, show(event), members, shownProof, diffs?.[index]);
      bytes.write(`${index === 0 ? before : ','}${json}`);
    });
    bytes.write(after);
    return bytes.written();
  };
};
