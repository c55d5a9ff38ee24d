import streams, { type ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { Direction } from '../../../event-sourcing/event-store.js';
import type { Checkpoint, From, Revision, StreamName } from '../../../event-sourcing/recorded-event.js';
import { streamIdentifier } from '../identifiers.js';
import { placeBetweenRecords } from './between-records.js';

const { Options } = streams.ReadReq;

/** Records of other categories between two checkpoints of a subscription. */
const CHECKPOINT_INTERVAL = 128;
/** Records that the server filters at once (its own default, and its page). */
const SEARCH_WINDOW = 32;

const request = (options: ReadReq.Options): ReadReq => {
  const uuids = new Options.UUIDOption();
  uuids.setString(new shared.Empty());
  options.setUuidOption(uuids);
  const read = new streams.ReadReq();
  read.setOptions(options);
  return read;
};

/** `from` inclusive; default: the first event forwards, the last one backwards. */
export const streamRequest = (
  stream: StreamName,
  direction: Direction,
  from: Revision | undefined,
  count: number,
): ReadReq => {
  const range = new Options.StreamOptions();
  range.setStreamIdentifier(streamIdentifier(stream));
  if (from !== undefined) range.setRevision(from.toString());
  else if (direction === 'forwards') range.setStart(new shared.Empty());
  else range.setEnd(new shared.Empty());
  const options = new Options();
  options.setStream(range);
  const { FORWARDS, BACKWARDS } = Options.ReadDirection;
  options.setReadDirection(direction === 'forwards' ? FORWARDS : BACKWARDS);
  options.setCount(String(count));
  options.setNoFilter(new shared.Empty());
  return request(options);
};

const filterOn = (
  select: 'setStreamIdentifier' | 'setEventType',
  prefixes: ReadonlyArray<string>,
): ReadReq.Options.FilterOptions => {
  const expression = new Options.FilterOptions.Expression();
  expression.setPrefixList([...prefixes]);
  const filter = new Options.FilterOptions();
  filter[select](expression);
  filter.setMax(SEARCH_WINDOW);
  filter.setCheckpointintervalmultiplier(CHECKPOINT_INTERVAL / SEARCH_WINDOW);
  return filter;
};

const filterOf = (categories: ReadonlyArray<string>): ReadReq.Options.FilterOptions =>
  filterOn(
    'setStreamIdentifier',
    categories.map((category) => `${category}-`),
  );

const logFrom = (from: From | 'end'): ReadReq.Options.AllOptions => {
  const all = new Options.AllOptions();
  if (from === 'start') all.setStart(new shared.Empty());
  else if (from === 'end') all.setEnd(new shared.Empty());
  else {
    const place = placeBetweenRecords(from);
    const position = new Options.Position();
    position.setCommitPosition((place ?? from.commit).toString());
    position.setPreparePosition(place === undefined ? from.prepare.toString() : '0');
    all.setPosition(position);
  }
  return all;
};

/**
 * The newest record before `before` (exclusive): of the streams of `categories`, or of the whole log with the
 * database's own.
 */
export const newestRequest = (categories?: ReadonlyArray<string>, before: Checkpoint | 'end' = 'end'): ReadReq => {
  const options = new Options();
  options.setAll(logFrom(before));
  options.setReadDirection(Options.ReadDirection.BACKWARDS);
  options.setCount('1');
  if (categories === undefined) options.setNoFilter(new shared.Empty());
  else options.setFilter(filterOf(categories));
  return request(options);
};

const subscription = (after: From, filter: ReadReq.Options.FilterOptions): ReadReq => {
  const options = new Options();
  options.setAll(logFrom(after));
  options.setReadDirection(Options.ReadDirection.FORWARDS);
  options.setSubscription(new Options.SubscriptionOptions());
  options.setFilter(filter);
  return request(options);
};

/** Everything of these categories after `after` (exclusive), then what is appended. */
export const subscriptionRequest = (after: From, categories: ReadonlyArray<string>): ReadReq =>
  subscription(after, filterOf(categories));

/** As that, of all streams, but only the records of these types. */
export const typesRequest = (after: From, types: ReadonlyArray<string>): ReadReq =>
  subscription(after, filterOn('setEventType', types));
