import streams, { type AppendResp, type BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { either as E } from 'fp-ts';
import type { ExpectedRevision, NewEvent, Position, Revision } from '../../../event-sourcing/recorded-event.js';
import type { Append } from '../../../event-sourcing/whole-log/log-target.js';
import { CallFailed, callFailed } from '../connection/call-failed.js';
import type { Node } from '../connection/node.js';
import { streamIdentifier, uuidOf } from '../identifiers.js';

export type AppendResponse =
  /** `position` is missing from the response to a repeated append when the stream has been soft-deleted since. */
  | { readonly _tag: 'Stored'; readonly revision: Revision; readonly position: Position | undefined }
  | { readonly _tag: 'WrongRevision'; readonly actual: ExpectedRevision };

type Message = InstanceType<typeof streams.AppendReq>;

const optionsMessage = ({ stream, expected }: Append): Message => {
  const options = new streams.AppendReq.Options();
  options.setStreamIdentifier(streamIdentifier(stream));
  if (expected === 'no-stream') options.setNoStream(new shared.Empty());
  else options.setRevision(expected.toString());
  const message = new streams.AppendReq();
  message.setOptions(options);
  return message;
};

/** Fills in the fields of an event, which both ways of appending share. */
export const proposed = <M extends BatchAppendReq.ProposedMessage>(
  message: M,
  { id, type, data, metadata }: NewEvent,
): M => {
  message.setId(uuidOf(id));
  message.getMetadataMap().set('type', type).set('content-type', 'application/json');
  message.setData(Buffer.from(data));
  message.setCustomMetadata(Buffer.from(metadata));
  return message;
};

const eventMessage = (event: NewEvent): Message => {
  const message = new streams.AppendReq();
  message.setProposedMessage(proposed(new streams.AppendReq.ProposedMessage(), event));
  return message;
};

const { CurrentRevisionOptionCase } = streams.AppendResp.WrongExpectedVersion;

const responseIn = (message: AppendResp): AppendResponse => {
  const success = message.getSuccess();
  const wrong = message.getWrongExpectedVersion();
  if (success !== undefined) {
    const position = success.getPosition()?.getCommitPosition();
    return {
      _tag: 'Stored',
      revision: BigInt(success.getCurrentRevision()),
      position: position === undefined ? undefined : BigInt(position),
    };
  }
  if (wrong === undefined) throw new CallFailed('permanent', 'EventStoreDB sent an empty response to an append');
  const isMissing = wrong.getCurrentRevisionOptionCase() === CurrentRevisionOptionCase.CURRENT_NO_STREAM;
  return { _tag: 'WrongRevision', actual: isMissing ? 'no-stream' : BigInt(wrong.getCurrentRevision()) };
};

/** One append by a call of its own, over within `timeout` milliseconds. Rejects with `CallFailed`. */
export const callAppend = (node: Node, append: Append, timeout: number): Promise<AppendResponse> =>
  new Promise((resolve, reject) => {
    // gRPC compares it with the time of day
    const deadline = node.runtime.clock.date().getTime() + timeout;
    const call = node.streams.append(node.metadata(), { deadline }, (error, message) => {
      if (error !== null) {
        reject(callFailed(error));
        return;
      }
      node.noteMessage();
      const response = E.tryCatch(() => responseIn(message), E.toError);
      if (E.isLeft(response)) reject(response.left);
      else resolve(response.right);
    });
    // the callback gets every failure; without a listener the same one would end the process
    call.on('error', () => undefined);
    call.write(optionsMessage(append));
    for (const event of append.events) call.write(eventMessage(event));
    call.end();
  });
