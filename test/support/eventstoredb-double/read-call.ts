import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream } from '@grpc/grpc-js';
import type { LogRecord } from './log.js';
import type { NodeState } from './node-state.js';

export type ReadCall = ServerWritableStream<ReadReq, ReadResp>;

export const matches = (options: ReadReq.Options) => {
  const filter = options.getFilter();
  const streams = filter?.getStreamIdentifier()?.getPrefixList();
  const types = filter?.getEventType()?.getPrefixList();
  const begins = (text: string, prefixes: ReadonlyArray<string> | undefined): boolean =>
    prefixes === undefined || prefixes.some((prefix) => text.startsWith(prefix));
  return ({ stream, type }: LogRecord): boolean => begins(stream, streams) && begins(type, types);
};

/** Resolves when the call emits one of these. */
const firstOf = (call: ReadCall, ...names: ReadonlyArray<string>): Promise<void> =>
  new Promise((resolve) => {
    const happened = (): void => {
      for (const name of names) call.removeListener(name, happened);
      resolve();
    };
    for (const name of names) call.on(name, happened);
  });

/** Waits while the client's buffer is full; resolves to false when the client has gone. */
export const send = async (state: NodeState, call: ReadCall, response: ReadResp): Promise<boolean> => {
  if (call.cancelled) return false;
  state.sent++;
  if (!call.write(response)) await firstOf(call, 'drain', 'cancelled');
  return !call.cancelled;
};

/** Whether the server reads forwards from there: from a record, or from past the end. */
export const isValidPosition = ({ log }: NodeState, position: ReadReq.Options.Position): boolean => {
  const commit = BigInt(position.getCommitPosition());
  const isPast = commit > log.records.at(-1)!.position;
  return BigInt(position.getPreparePosition()) <= commit && (isPast || log.records.some((r) => r.position === commit));
};

/** Whether the server reads backwards from there: from where a record begins or ends. */
export const isReadableBackwards = ({ log }: NodeState, position: ReadReq.Options.Position): boolean => {
  const commit = BigInt(position.getCommitPosition());
  return commit === log.end() || log.records.some((record) => record.position === commit);
};
