import streams, {
  type AppendReq,
  type BatchAppendReq,
  type ReadResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { Metadata, status } from '@grpc/grpc-js';
import type { NewEvent } from '../../../src/event-sourcing/recorded-event.js';
import type { AppendResult, Expectation, LogRecord } from './log.js';

export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

/** An error as the server sends it. */
const wireError = (code: status, details: string, trailers: { readonly [name: string]: string } = {}) => {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return Object.assign(new Error(details), { code, details, metadata });
};

export const errors = {
  notReady: () => wireError(status.UNAVAILABLE, 'Server Is Not Ready'),
  reset: () => wireError(status.UNAVAILABLE, 'Connection dropped'),
  commitTimeout: () => wireError(status.ABORTED, 'Operation timed out: Commit phase timeout'),
  handlerException: () => wireError(status.UNKNOWN, 'Exception was thrown by handler.'),
  failedRead: () => wireError(status.UNKNOWN, 'Unexpected ReadAllResult: Error'),
  invalidReadPosition: () => wireError(status.UNKNOWN, 'Unexpected ReadAllResult: InvalidPosition'),
  invalidSubscriptionPosition: () => wireError(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.'),
  notLeader: ({ host, port }: { readonly host: string; readonly port: number }) =>
    wireError(status.NOT_FOUND, 'Leader info available', {
      exception: 'not-leader',
      'leader-endpoint-host': host,
      'leader-endpoint-port': String(port),
    }),
  streamDeleted: (stream: string) =>
    wireError(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
      exception: 'stream-deleted',
      'stream-name': stream,
    }),
  tooLarge: () =>
    wireError(status.INVALID_ARGUMENT, 'Maximum Append Size of 1048576 Exceeded.', {
      exception: 'maximum-append-size-exceeded',
      'maximum-append-size': '1048576',
    }),
};

const revisionCase = streams.AppendReq.Options.ExpectedStreamRevisionCase;

export const expectationOf = (options: AppendReq.Options): Expectation => {
  switch (options.getExpectedStreamRevisionCase()) {
    case revisionCase.NO_STREAM:
      return 'no-stream';
    case revisionCase.STREAM_EXISTS:
      return 'stream-exists';
    case revisionCase.REVISION:
      return BigInt(options.getRevision());
    case revisionCase.ANY:
    case revisionCase.EXPECTED_STREAM_REVISION_NOT_SET:
      return 'any';
  }
};

export const eventOf = (message: AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage): NewEvent => ({
  id: message.getId()!.getString().toLowerCase(),
  type: message.getMetadataMap().get('type') ?? '',
  data: textOf(message.getData_asU8()),
  metadata: textOf(message.getCustomMetadata_asU8()),
});

const positionOf = (position: bigint) => {
  const both = new streams.AppendResp.Position();
  both.setCommitPosition(position.toString());
  both.setPreparePosition(position.toString());
  return both;
};

export const appendResponse = (
  result: Extract<AppendResult, { readonly _tag: 'Stored' | 'WrongVersion' }>,
): InstanceType<typeof streams.AppendResp> => {
  const response = new streams.AppendResp();
  if (result._tag === 'Stored') {
    const success = new streams.AppendResp.Success();
    success.setCurrentRevision(result.revision.toString());
    if (result.position === undefined) success.setNoPosition(new shared.Empty());
    else success.setPosition(positionOf(result.position));
    response.setSuccess(success);
  } else {
    const wrong = new streams.AppendResp.WrongExpectedVersion();
    if (result.current === undefined) wrong.setCurrentNoStream(new shared.Empty());
    else wrong.setCurrentRevision(result.current.toString());
    response.setWrongExpectedVersion(wrong);
  }
  return response;
};

const identifier = (name: string) => {
  const id = new shared.StreamIdentifier();
  id.setStreamName(Buffer.from(name));
  return id;
};

export const eventResponse = (record: LogRecord): ReadResp => {
  const uuid = new shared.UUID();
  uuid.setString(record.id);
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent();
  recorded.setId(uuid);
  recorded.setStreamIdentifier(identifier(record.stream));
  recorded.setStreamRevision(record.revision.toString());
  recorded.setCommitPosition(record.position.toString());
  recorded.setPreparePosition(record.position.toString());
  recorded.getMetadataMap().set('type', record.type).set('content-type', 'application/json').set('created', '0');
  recorded.setData(Buffer.from(record.data));
  recorded.setCustomMetadata(Buffer.from(record.metadata));
  const event = new streams.ReadResp.ReadEvent();
  event.setEvent(recorded);
  event.setCommitPosition(record.position.toString());
  const response = new streams.ReadResp();
  response.setEvent(event);
  return response;
};

export const notFoundResponse = (stream: string): ReadResp => {
  const missing = new streams.ReadResp.StreamNotFound();
  missing.setStreamIdentifier(identifier(stream));
  const response = new streams.ReadResp();
  response.setStreamNotFound(missing);
  return response;
};

export const confirmationResponse = (): ReadResp => {
  const confirmation = new streams.ReadResp.SubscriptionConfirmation();
  confirmation.setSubscriptionId('a subscription');
  const response = new streams.ReadResp();
  response.setConfirmation(confirmation);
  return response;
};

export const checkpointResponse = (commit: bigint, prepare: bigint): ReadResp => {
  const checkpoint = new streams.ReadResp.Checkpoint();
  checkpoint.setCommitPosition(commit.toString());
  checkpoint.setPreparePosition(prepare.toString());
  const response = new streams.ReadResp();
  response.setCheckpoint(checkpoint);
  return response;
};

export const caughtUpResponse = (): ReadResp => {
  const response = new streams.ReadResp();
  response.setCaughtUp(new streams.ReadResp.CaughtUp());
  return response;
};
