import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { sendUnaryData, ServerReadableStream } from '@grpc/grpc-js';
import { type NodeState, noteCall } from './node-state.js';
import { callResponse, errors, eventOf, expectationOfCall, textOf } from './wire.js';

/** One append a call: its options first, then its events. Without faults: the service under test does not use it. */
export const makeUnaryAppend =
  (state: NodeState) =>
  (call: ServerReadableStream<AppendReq, AppendResp>, answer: sendUnaryData<AppendResp>): void => {
    noteCall(state, 'append', call);
    const messages: Array<AppendReq> = [];
    call.on('data', (message: AppendReq) => void messages.push(message));
    call.once('end', () => {
      const options = messages[0]!.getOptions()!;
      const stream = textOf(options.getStreamIdentifier()!.getStreamName_asU8());
      const events = messages.slice(1).map((message) => eventOf(message.getProposedMessage()!));
      const result = state.log.append(stream, expectationOfCall(options), events);
      if (result._tag === 'Stored' || result._tag === 'WrongVersion') answer(null, callResponse(result));
      else answer(errors.streamDeleted(stream));
    });
  };
