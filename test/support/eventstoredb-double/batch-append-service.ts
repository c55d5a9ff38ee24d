import streams, { type BatchAppendReq, type BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { Expectation } from './log.js';
import type { AppendFault } from './faults.js';
import { requiresLeader, type NodeState, noteCall, takeFault } from './node-state.js';
import { errors, eventOf, textOf } from './wire.js';

type Call = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

const expectationOf = (options: BatchAppendReq.Options): Expectation =>
  options.hasNoStream() ? 'no-stream' : BigInt(options.getStreamPosition());

const perform = ({ log }: NodeState, request: BatchAppendReq): BatchAppendResp => {
  const options = request.getOptions()!;
  const stream = textOf(options.getStreamIdentifier()!.getStreamName_asU8());
  const result = log.append(stream, expectationOf(options), request.getProposedMessagesList().map(eventOf));
  const response = new streams.BatchAppendResp();
  response.setCorrelationId(request.getCorrelationId());
  if (result._tag !== 'Stored') {
    const error = new status.Status();
    error.setMessage(result._tag);
    if (result._tag === 'WrongVersion') {
      const details = new any.Any();
      details.setTypeUrl('type.googleapis.com/event_store.client.WrongExpectedVersion');
      error.setDetails(details);
    }
    return response.setError(error);
  }
  const position = new shared.AllStreamPosition();
  position.setCommitPosition(String(result.position));
  position.setPreparePosition(String(result.position));
  const success = new streams.BatchAppendResp.Success();
  success.setCurrentRevision(String(result.revision));
  success.setPosition(position);
  return response.setSuccess(success);
};

/** The server's own answer when it paused while it was storing. */
const timedOut = (request: BatchAppendReq): BatchAppendResp => {
  const error = new status.Status();
  error.setMessage('Timeout');
  const response = new streams.BatchAppendResp();
  response.setCorrelationId(request.getCorrelationId());
  return response.setError(error);
};

/** Those of the faults that an append among others may meet. */
const performWith = (state: NodeState, call: Call, request: BatchAppendReq, fault: AppendFault): void => {
  if (fault !== 'no-response' && fault !== 'reset') perform(state, request);
  if (fault === 'commit-timeout') call.write(timedOut(request));
  else if (fault === 'lost-acknowledgement' || fault === 'reset') call.emit('error', errors.reset());
  else if (fault !== 'stored-without-response' && fault !== 'no-response')
    throw new Error(`an append among others does not meet ${JSON.stringify(fault)}`);
};

/** Appends one after another, in the order of arrival. Like the server's, the call does not end by itself. */
export const makeBatchAppendService = (state: NodeState) => {
  const serve = async (call: Call): Promise<void> => {
    let taken = 0;
    for await (const request of call as AsyncIterable<BatchAppendReq>) {
      const { isSilent, batchesEndAfter } = state.faults;
      const isOver = batchesEndAfter !== undefined && taken > batchesEndAfter;
      if (isSilent || isOver) continue;
      const fault = takeFault(state);
      if (fault !== undefined) performWith(state, call, request, fault);
      else {
        const response = perform(state, request);
        if (taken !== batchesEndAfter) call.write(response);
      }
      taken += 1;
    }
  };
  return (call: Call): void => {
    noteCall(state, 'append', call);
    if (!state.isLeader() && requiresLeader(call.metadata)) call.emit('error', errors.notLeader(state.leader()!));
    else
      serve(call).catch((error: unknown) => {
        // it throws as well what has been sent as the end of the call
        if (!call.writableEnded) call.destroy(error as Error); // reason: what the stream throws
      });
  };
};
