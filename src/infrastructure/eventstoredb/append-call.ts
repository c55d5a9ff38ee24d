import streams, { type AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type {
  ExpectedRevision,
  NewEvent,
  Position,
  Revision,
  StreamName,
} from '../../event-sourcing/recorded-event.js';
import { CallFailed, callFailed } from './call-failed.js';
import type { Node } from './node.js';

/** What the server says to an append. It has no position for a repeated append to a stream that was soft-deleted. */
export type AppendAnswer =
  | { readonly _tag: 'Stored'; readonly revision: Revision; readonly position: Position | undefined }
  | { readonly _tag: 'WrongRevision'; readonly actual: ExpectedRevision };

export const streamIdentifier = (stream: string): InstanceType<typeof shared.StreamIdentifier> => {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream));
  return identifier;
};

const opening = (stream: StreamName, expected: ExpectedRevision): InstanceType<typeof streams.AppendReq> => {
  const options = new streams.AppendReq.Options();
  options.setStreamIdentifier(streamIdentifier(stream));
  if (expected === 'no-stream') options.setNoStream(new shared.Empty());
  else options.setRevision(expected.toString());
  const request = new streams.AppendReq();
  request.setOptions(options);
  return request;
};

const proposal = ({ id, type, data, metadata }: NewEvent): InstanceType<typeof streams.AppendReq> => {
  const uuid = new shared.UUID();
  uuid.setString(id);
  const message = new streams.AppendReq.ProposedMessage();
  message.setId(uuid);
  message.getMetadataMap().set('type', type).set('content-type', 'application/json');
  message.setData(Buffer.from(data));
  message.setCustomMetadata(Buffer.from(metadata));
  const request = new streams.AppendReq();
  request.setProposedMessage(message);
  return request;
};

const understood = (response: AppendResp): AppendAnswer => {
  const success = response.getSuccess();
  const wrong = response.getWrongExpectedVersion();
  if (success !== undefined) {
    const position = success.getPosition()?.getCommitPosition();
    return {
      _tag: 'Stored',
      revision: BigInt(success.getCurrentRevision()),
      position: position === undefined ? undefined : BigInt(position),
    };
  }
  if (wrong === undefined) throw new CallFailed('refused', 'EventStoreDB answered an append with nothing');
  const isAbsent = wrong.getCurrentRevisionOptionCase() === wrongVersion.CURRENT_NO_STREAM;
  return { _tag: 'WrongRevision', actual: isAbsent ? 'no-stream' : BigInt(wrong.getCurrentRevision()) };
};

const wrongVersion = streams.AppendResp.WrongExpectedVersion.CurrentRevisionOptionCase;

/**
 * One append, settled within `deadline` milliseconds. The unary call: batch appends have no deadline of their own and
 * stand or fall with those of everybody else. Rejects with `CallFailed`.
 */
export const callAppend = (
  node: Node,
  stream: StreamName,
  expected: ExpectedRevision,
  events: ReadonlyArray<NewEvent>,
  deadline: number,
): Promise<AppendAnswer> =>
  new Promise((resolve, reject) => {
    const call = node.streams.append(node.metadata(), { deadline: Date.now() + deadline }, (error, response) => {
      if (error !== null) reject(callFailed(error));
      else
        try {
          node.heard();
          resolve(understood(response));
        } catch (fault) {
          reject(fault instanceof Error ? fault : new Error(String(fault)));
        }
    });
    // the callback tells every failure; unheard, the same one would end the process
    call.on('error', () => undefined);
    call.write(opening(stream, expected));
    for (const event of events) call.write(proposal(event));
    call.end();
  });
