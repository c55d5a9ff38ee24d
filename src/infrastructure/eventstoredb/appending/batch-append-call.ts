import streams, { type BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import type { Position } from '../../../event-sourcing/recorded-event.js';
import type { Append } from '../../../event-sourcing/whole-log/log-target.js';
import type { Node } from '../connection/node.js';
import { streamIdentifier, uuidOf } from '../identifiers.js';
import { proposed } from './append-call.js';
import { watchIdle } from '../../../event-sourcing/watch-idle.js';

const requestOf = (correlation: string, { stream, expected, events }: Append) => {
  const options = new streams.BatchAppendReq.Options();
  options.setStreamIdentifier(streamIdentifier(stream));
  if (expected === 'no-stream') options.setNoStream(new empty.Empty());
  else options.setStreamPosition(expected.toString());
  const request = new streams.BatchAppendReq();
  request.setCorrelationId(uuidOf(correlation));
  request.setOptions(options);
  request.setProposedMessagesList(events.map((event) => proposed(new streams.BatchAppendReq.ProposedMessage(), event)));
  request.setIsFinal(true);
  return request;
};

/** What the server said of one append: where it is, that it is not stored because of its expected revision, or neither. */
export type BatchOutcome = Position | 'wrong-revision' | undefined;

const outcomeIn = (response: BatchAppendResp): BatchOutcome => {
  const position = response.getSuccess()?.getPosition()?.getCommitPosition();
  if (position !== undefined) return BigInt(position);
  const isWrongRevision = response.getError()?.getDetails()?.getTypeUrl().endsWith('.WrongExpectedVersion') === true;
  return isWrongRevision ? 'wrong-revision' : undefined;
};

type Options = {
  /** When the call is cancelled, ms. */
  readonly timeout: number;
  /** Whether they only matter in this order: the first failure ends the call, and each message begins the time anew. */
  readonly isSequence: boolean;
};

/**
 * Appends that follow each other without waiting, over one call: the server takes them off it one by one, in order
 * (its Streams.BatchAppend.cs). Resolves to what it said of each; the outcome of those without a word is unknown. Rejects
 * with `CallFailed` only when the node has been closed.
 */
export const callBatchAppend = (
  node: Node,
  appends: ReadonlyArray<Append>,
  { timeout, isSequence }: Options,
): Promise<ReadonlyArray<BatchOutcome>> =>
  new Promise((resolve) => {
    const { clock, random } = node.runtime;
    const outcomes: Array<BatchOutcome> = appends.map(() => undefined);
    const pending = new Map(appends.map((append, index) => [random.uuid(), { append, index }]));
    const call = node.streams.batchAppend(node.metadata());
    const idle = watchIdle(clock, timeout, () => call.cancel());
    call.on('data', (response: BatchAppendResp) => {
      if (isSequence) idle.noteProgress();
      node.noteMessage();
      const correlation = response.getCorrelationId()?.getString() ?? '';
      const answered = pending.get(correlation);
      const outcome = outcomeIn(response);
      if (answered !== undefined) outcomes[answered.index] = outcome;
      pending.delete(correlation);
      // the server would keep a call that is only half-closed
      if (pending.size === 0 || (isSequence && typeof outcome !== 'bigint')) call.cancel();
    });
    // 'status' comes as well; without a listener the error would end the process
    call.on('error', () => undefined);
    call.on('status', () => {
      idle.stop();
      resolve(outcomes);
    });
    for (const [correlation, { append }] of pending) call.write(requestOf(correlation, append));
  });
