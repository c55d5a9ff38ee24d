import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { LogRecord } from './log.js';
import type { NodeState } from './node-state.js';
import { isValidPosition, matches, type ReadCall, send } from './read-call.js';
import { caughtUpResponse, checkpointResponse, confirmationResponse, errors, eventResponse } from './wire.js';

/** Records in one page of catching up. */
const PAGE = 32;

type Position = { readonly commit: bigint; readonly prepare: bigint };

const BEFORE_ALL: Position = { commit: -1n, prepare: -1n };

const isBeyond = (one: Position, other: Position): boolean =>
  one.commit > other.commit || (one.commit === other.commit && one.prepare > other.prepare);

const positionOf = ({ position }: LogRecord): Position => ({ commit: position, prepare: position });

/** One subscriber: how far it has come, and what has been sent to it. */
type Subscriber = {
  readonly reached: () => Position;
  readonly reach: (position: Position) => void;
  /** Sends the record when it matches and has not been sent. */
  readonly offer: (record: LogRecord) => Promise<void>;
  readonly sendCheckpoint: () => Promise<void>;
};

const subscriber = (state: NodeState, call: ReadCall, options: ReadReq.Options, start: Position): Subscriber => {
  const isWanted = matches(options);
  let reached = start;
  let lastCheckpoint = BEFORE_ALL;
  return {
    reached: () => reached,
    reach: (position) => {
      if (isBeyond(position, reached)) reached = position;
    },
    offer: async (record) => {
      if (!isWanted(record) || !isBeyond(positionOf(record), reached)) return;
      reached = positionOf(record);
      for (let copies = state.faults.isRepeating ? 2 : 1; copies > 0; copies--)
        await send(state, call, eventResponse(record));
    },
    sendCheckpoint: async () => {
      if (!isBeyond(reached, lastCheckpoint)) return;
      lastCheckpoint = reached;
      await send(state, call, checkpointResponse(reached.commit, reached.prepare));
    },
  };
};

/** Resolves when the log has a record beyond a position, or the client has gone. */
const grown = ({ log }: NodeState, call: ReadCall, beyond: bigint): Promise<void> =>
  new Promise((resolve) => {
    const check = (): void => {
      if ((log.records.at(-1)?.position ?? -1n) <= beyond && !call.cancelled) return;
      log.onGrowth.delete(check);
      call.removeListener('cancelled', check);
      resolve();
    };
    log.onGrowth.add(check);
    call.on('cancelled', check);
    check();
  });

/**
 * A filtered subscription to `$all`, as the server's AllSubscriptionFiltered enumerator runs it: a confirmation; pages,
 * with a checkpoint after every interval (for a page without a match: the place where it begins, prepare 0, which is the
 * end of the log when the page before it was full and the last one) and one at the end;
 * "caught up"; then new records, with a checkpoint after every interval. A position past the end is accepted.
 */
export const serveSubscription = async (state: NodeState, call: ReadCall, options: ReadReq.Options): Promise<void> => {
  const { log, faults } = state;
  const given = options.getAll()!.getPosition();
  const start: Position =
    given === undefined
      ? BEFORE_ALL
      : { commit: BigInt(given.getCommitPosition()), prepare: BigInt(given.getPreparePosition()) };
  const interval = PAGE * options.getFilter()!.getCheckpointintervalmultiplier();
  const isQuiet = (): boolean => faults.isSilent || faults.areSubscriptionsSilent || !state.isLeader();
  const reader = subscriber(state, call, options, start);

  await send(state, call, confirmationResponse());
  if (given !== undefined && !isValidPosition(state, given))
    return void call.emit('error', errors.invalidSubscriptionPosition());

  const first = log.records.findIndex(({ position }) => position >= start.commit);
  let index = first === -1 ? log.records.length : first;
  let place: Position = given === undefined ? { commit: 0n, prepare: 0n } : start;
  let isAtEnd = false;
  for (let scanned = 0; !isAtEnd && !call.cancelled && !isQuiet();) {
    const page = log.records.slice(index, index + PAGE);
    for (const record of page) await reader.offer(record);
    // behind a full page another one is read, also when it will be empty
    isAtEnd = page.length < PAGE;
    index += page.length;
    scanned += page.length;
    if (scanned >= interval || isAtEnd) {
      scanned %= interval;
      reader.reach(place);
      await reader.sendCheckpoint();
    }
    place = { commit: log.records[index]?.position ?? log.end(), prepare: 0n };
  }
  if (!isQuiet()) await send(state, call, caughtUpResponse());

  let last = log.records[index - 1]?.position ?? -1n;
  for (let passed = 0; ;) {
    await grown(state, call, last);
    if (call.cancelled) return;
    // not by an index: records before it may have been cut out
    const record = log.records[log.records.findLastIndex(({ position }) => position <= last) + 1]!;
    last = record.position;
    if (isQuiet()) continue;
    await reader.offer(record);
    if (++passed < interval) continue;
    passed = 0;
    reader.reach(positionOf(record));
    await reader.sendCheckpoint();
  }
};
