import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { LogRecord } from './log.js';
import type { NodeState } from './node-state.js';
import { isPlace, matches, type ReadCall, send } from './read-call.js';
import { caughtUpResponse, checkpointResponse, confirmationResponse, errors, eventResponse } from './wire.js';

/** Records that the server looks at in one page of catching up. */
const PAGE = 32;

type Place = { readonly commit: bigint; readonly prepare: bigint };

const BEFORE_ALL: Place = { commit: -1n, prepare: -1n };

const isBeyond = (one: Place, other: Place): boolean =>
  one.commit > other.commit || (one.commit === other.commit && one.prepare > other.prepare);

const placeOf = ({ position }: LogRecord): Place => ({ commit: position, prepare: position });

/** One subscriber: how far it has come, and what it has been told. */
type Subscriber = {
  readonly reached: () => Place;
  readonly reach: (place: Place) => void;
  /** Sends the record when it matches and has not been sent. */
  readonly offer: (record: LogRecord) => Promise<void>;
  readonly tellCheckpoint: () => Promise<void>;
};

const subscriber = (state: NodeState, call: ReadCall, options: ReadReq.Options, start: Place): Subscriber => {
  const isWanted = matches(options);
  let reached = start;
  let told = BEFORE_ALL;
  return {
    reached: () => reached,
    reach: (place) => {
      if (isBeyond(place, reached)) reached = place;
    },
    offer: async (record) => {
      if (!isWanted(record) || !isBeyond(placeOf(record), reached)) return;
      reached = placeOf(record);
      for (let copies = state.faults.isRepeating ? 2 : 1; copies > 0; copies--)
        await send(state, call, eventResponse(record));
    },
    tellCheckpoint: async () => {
      if (!isBeyond(reached, told)) return;
      told = reached;
      await send(state, call, checkpointResponse(reached.commit, reached.prepare));
    },
  };
};

/** Resolves when the log has a record at `index`, or the client has gone. */
const grown = ({ log }: NodeState, call: ReadCall, index: number): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (log.records.length <= index && !call.cancelled) return;
      log.onGrowth.delete(look);
      call.removeListener('cancelled', look);
      resolve();
    };
    log.onGrowth.add(look);
    call.on('cancelled', look);
    look();
  });

/**
 * A filtered subscription to `$all` as the server's AllSubscriptionFiltered enumerator runs it: confirmation; pages,
 * with a checkpoint every so many records looked at (where no record of the page matched: its first record, prepare
 * 0) and one at the end; "caught up"; then what comes, with checkpoints every so many records. A place past the end
 * is taken without a word.
 */
export const serveSubscription = async (state: NodeState, call: ReadCall, options: ReadReq.Options): Promise<void> => {
  const { log, faults } = state;
  const given = options.getAll()!.getPosition();
  const start: Place =
    given === undefined
      ? BEFORE_ALL
      : { commit: BigInt(given.getCommitPosition()), prepare: BigInt(given.getPreparePosition()) };
  const interval = PAGE * options.getFilter()!.getCheckpointintervalmultiplier();
  const isQuiet = (): boolean => faults.isSilent || faults.areSubscriptionsSilent || !state.isLeader();
  const reader = subscriber(state, call, options, start);

  await send(state, call, confirmationResponse());
  if (given !== undefined && !isPlace(state, given))
    return void call.emit('error', errors.invalidSubscriptionPosition());

  const first = log.records.findIndex(({ position }) => position >= start.commit);
  let index = first === -1 ? log.records.length : first;
  for (let looked = 0; index < log.records.length && !call.cancelled && !isQuiet();) {
    const page = log.records.slice(index, index + PAGE);
    for (const record of page) await reader.offer(record);
    if (page.length > 1) reader.reach({ commit: page[0]!.position, prepare: 0n });
    index += page.length;
    looked += page.length;
    if (looked < interval && index < log.records.length) continue;
    looked %= interval;
    await reader.tellCheckpoint();
  }
  if (!isQuiet()) await send(state, call, caughtUpResponse());

  for (let passed = 0; ; index++) {
    await grown(state, call, index);
    if (call.cancelled) return;
    if (isQuiet()) continue;
    await reader.offer(log.records[index]!);
    if (++passed < interval) continue;
    passed = 0;
    reader.reach(placeOf(log.records[index]!));
    await reader.tellCheckpoint();
  }
};
