import { setTimeout as delay } from 'node:timers/promises';
import streams, { type ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { LogRecord } from './log.js';
import { requiresLeader, type NodeState, noteCall } from './node-state.js';
import { isReadableBackwards, isValidPosition, matches, type ReadCall, send } from './read-call.js';
import { serveSubscription } from './subscription-service.js';
import { errors, eventResponse, notFoundResponse, textOf } from './wire.js';

const isBackwards = (options: ReadReq.Options): boolean =>
  options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;

const sendAll = async (state: NodeState, call: ReadCall, records: Iterable<LogRecord>): Promise<void> => {
  for (const record of records) if (!(await send(state, call, eventResponse(record)))) return;
  call.end();
};

const readStream = async (state: NodeState, call: ReadCall, options: ReadReq.Options): Promise<void> => {
  const held = state.faults.reads.shift();
  state.news.tell();
  await held;
  const range = options.getStream()!;
  const name = textOf(range.getStreamIdentifier()!.getStreamName_asU8());
  const records = state.log.visible(name);
  if (records === 'tombstoned') return void call.emit('error', errors.streamDeleted(name));
  if (records === undefined) {
    await send(state, call, notFoundResponse(name));
    return void call.end();
  }
  const from = range.hasRevision() ? BigInt(range.getRevision()) : undefined;
  const wanted = isBackwards(options)
    ? records.filter(({ revision }) => from === undefined || revision <= from).toReversed()
    : records.filter(({ revision }) => from === undefined || revision >= from);
  await sendAll(state, call, wanted.slice(0, Number(options.getCount())));
};

/** False when the client has gone meanwhile. */
const lookThrough = async (call: ReadCall, ms: number): Promise<boolean> => {
  const gone = new AbortController();
  call.once('cancelled', () => gone.abort());
  // pauses: for as long as a server searches
  await delay(ms, undefined, { signal: gone.signal }).catch(() => undefined);
  return !call.cancelled;
};

/** Forwards inclusive, backwards exclusive. */
const readAll = async (state: NodeState, call: ReadCall, options: ReadReq.Options): Promise<void> => {
  const position = options.getAll()!.getPosition();
  if (position !== undefined && isBackwards(options) && !isReadableBackwards(state, position))
    return void call.emit('error', errors.failedRead());
  if (position !== undefined && !isBackwards(options) && !isValidPosition(state, position))
    return void call.emit('error', errors.invalidReadPosition());
  const commit = position === undefined ? undefined : BigInt(position.getCommitPosition());
  const { records } = state.log;
  const ordered = isBackwards(options)
    ? records.filter((record) => commit === undefined || record.position < commit).toReversed()
    : records.filter((record) => commit === undefined || record.position >= commit);
  const isWanted = matches(options);
  const wanted = ordered.filter(isWanted).slice(0, Number(options.getCount()));
  const last = wanted.length < Number(options.getCount()) ? undefined : wanted.at(-1);
  const looked = last === undefined ? ordered : ordered.slice(0, ordered.indexOf(last));
  const search = { passed: looked.filter((record) => !isWanted(record)).length, isAnswered: false };
  state.searches.push(search);
  state.news.tell();
  if (!(await lookThrough(call, state.faults.msPerForeignRecord * search.passed))) return;
  search.isAnswered = true;
  await sendAll(state, call, wanted);
};

const serve = async (state: NodeState, call: ReadCall): Promise<void> => {
  const options = call.request.getOptions()!;
  if (state.faults.isSilent) return;
  if (state.faults.isNotReady) return void call.emit('error', errors.notReady());
  if (!state.isLeader() && requiresLeader(call.metadata))
    return void call.emit('error', errors.notLeader(state.leader()!));
  if (options.hasSubscription()) await serveSubscription(state, call, options);
  else if (options.hasStream()) await readStream(state, call, options);
  else await readAll(state, call, options);
};

export const makeReadService =
  (state: NodeState) =>
  (call: ReadCall): void => {
    state.openReads.add(call);
    noteCall(state, 'read', call);
    const close = (): void => {
      state.openReads.delete(call);
      state.news.tell();
    };
    call.on('cancelled', close);
    call.on('close', close);
    call.on('finish', close);
    call.on('error', close);
    serve(state, call).catch((error: unknown) => call.emit('error', error));
  };
