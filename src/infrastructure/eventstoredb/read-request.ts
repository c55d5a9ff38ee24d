import streams, { type ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { Direction } from '../../event-sourcing/event-store.js';
import type { From, Revision, StreamName } from '../../event-sourcing/recorded-event.js';
import { streamIdentifier } from './append-call.js';

const { Options } = streams.ReadReq;

/** Foreign records between two checkpoints of a subscription. */
const CHECKPOINT_EVERY = 128;
/** Records that the server looks through at once for a filter (its own default, and its page). */
const WINDOW = 32;

const request = (options: ReadReq.Options): ReadReq => {
  const uuids = new Options.UUIDOption();
  uuids.setString(new shared.Empty());
  options.setUuidOption(uuids);
  const read = new streams.ReadReq();
  read.setOptions(options);
  return read;
};

const directionOf = (direction: Direction): ReadReq.Options.ReadDirection =>
  direction === 'forwards' ? Options.ReadDirection.FORWARDS : Options.ReadDirection.BACKWARDS;

/** `from` inclusive; without it from the first event forwards, from the last one backwards. */
export const streamRead = (
  stream: StreamName,
  direction: Direction,
  from: Revision | undefined,
  count: number,
): ReadReq => {
  const place = new Options.StreamOptions();
  place.setStreamIdentifier(streamIdentifier(stream));
  if (from !== undefined) place.setRevision(from.toString());
  else if (direction === 'forwards') place.setStart(new shared.Empty());
  else place.setEnd(new shared.Empty());
  const options = new Options();
  options.setStream(place);
  options.setReadDirection(directionOf(direction));
  options.setCount(String(count));
  options.setNoFilter(new shared.Empty());
  return request(options);
};

const filterOf = (categories: ReadonlyArray<string>): ReadReq.Options.FilterOptions => {
  const names = new Options.FilterOptions.Expression();
  names.setPrefixList(categories.map((category) => `${category}-`));
  const filter = new Options.FilterOptions();
  filter.setStreamIdentifier(names);
  filter.setMax(WINDOW);
  filter.setCheckpointintervalmultiplier(CHECKPOINT_EVERY / WINDOW);
  return filter;
};

const placeInLog = (place: { readonly commit: bigint; readonly prepare: bigint }): ReadReq.Options.AllOptions => {
  const position = new Options.Position();
  position.setCommitPosition(place.commit.toString());
  position.setPreparePosition(place.prepare.toString());
  const all = new Options.AllOptions();
  all.setPosition(position);
  return all;
};

/** The newest records, backwards: of the streams of `categories`, or of the whole log with the database's own. */
export const newest = (
  count: number,
  categories?: ReadonlyArray<string>,
  before?: { readonly commit: bigint; readonly prepare: bigint },
): ReadReq => {
  const end = new Options.AllOptions();
  end.setEnd(new shared.Empty());
  const options = new Options();
  options.setAll(before === undefined ? end : placeInLog(before));
  options.setReadDirection(Options.ReadDirection.BACKWARDS);
  options.setCount(String(count));
  if (categories === undefined) options.setNoFilter(new shared.Empty());
  else options.setFilter(filterOf(categories));
  return request(options);
};

/** Everything of these categories behind `after` (exclusive), then what comes. */
export const subscription = (after: From, categories: ReadonlyArray<string>): ReadReq => {
  const start = new Options.AllOptions();
  start.setStart(new shared.Empty());
  const options = new Options();
  options.setAll(after === 'start' ? start : placeInLog(after));
  options.setReadDirection(Options.ReadDirection.FORWARDS);
  options.setSubscription(new Options.SubscriptionOptions());
  options.setFilter(filterOf(categories));
  return request(options);
};
