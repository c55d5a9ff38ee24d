import { randomUUID } from 'node:crypto';
import streams, { type BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import type { Position } from '../../../event-sourcing/recorded-event.js';
import type { Append } from '../../../event-sourcing/whole-log/log-target.js';
import type { Node } from '../connection/node.js';
import { streamIdentifier, uuidOf } from '../identifiers.js';
import { proposed } from './append-call.js';

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

const positionIn = (response: BatchAppendResp): Position | undefined => {
  const position = response.getSuccess()?.getPosition()?.getCommitPosition();
  return position === undefined ? undefined : BigInt(position);
};

/**
 * Appends that follow each other without waiting, over one call: the server takes them off it one by one, in order
 * (its Streams.BatchAppend.cs). Resolves to the position of each that was acknowledged; the outcome of the others is
 * unknown. The first failure, or `idleTimeout` milliseconds without a message, ends the call. Rejects with `CallFailed`
 * only when the node has been closed.
 */
export const callBatchAppend = (
  node: Node,
  appends: ReadonlyArray<Append>,
  idleTimeout: number,
): Promise<ReadonlyArray<Position | undefined>> =>
  new Promise((resolve) => {
    const positions: Array<Position | undefined> = appends.map(() => undefined);
    const pending = new Map(appends.map((append, index) => [randomUUID() as string, { append, index }]));
    const call = node.streams.batchAppend(node.metadata());
    const timer = setTimeout(() => call.cancel(), idleTimeout);
    call.on('data', (response: BatchAppendResp) => {
      timer.refresh();
      const correlation = response.getCorrelationId()?.getString() ?? '';
      const acknowledged = pending.get(correlation);
      const position = positionIn(response);
      if (acknowledged === undefined || position === undefined) {
        call.cancel();
        return;
      }
      pending.delete(correlation);
      positions[acknowledged.index] = position;
      // the server would keep a call that is only half-closed
      if (pending.size === 0) call.cancel();
    });
    // 'status' comes as well; without a listener the error would end the process
    call.on('error', () => undefined);
    call.on('status', () => {
      clearTimeout(timer);
      resolve(positions);
    });
    for (const [correlation, { append }] of pending) call.write(requestOf(correlation, append));
  });
