import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { Status } from '@eventstore/db-client/generated/status_pb.js';
import type { ExpectedRevision, Position, Revision } from '../../../event-sourcing/recorded-event.js';
import { CallFailed, statusFailed } from '../connection/call-failed.js';

export type AppendResponse =
  /** `position` is missing from the response to a repeated append when the stream has been soft-deleted since. */
  | { readonly _tag: 'Stored'; readonly revision: Revision; readonly position: Position | undefined }
  | { readonly _tag: 'WrongRevision'; readonly actual: ExpectedRevision };

const { CurrentStreamRevisionOptionCase: Case } = shared.WrongExpectedVersion;

const actualIn = (error: Status): ExpectedRevision => {
  const wrong = error
    .getDetails()
    ?.unpack(
      (bytes) => shared.WrongExpectedVersion.deserializeBinary(bytes),
      'event_store.client.WrongExpectedVersion',
    );
  if (wrong === null || wrong === undefined)
    throw new CallFailed('permanent', 'EventStoreDB sent a conflict without revisions');
  return wrong.getCurrentStreamRevisionOptionCase() === Case.CURRENT_NO_STREAM
    ? 'no-stream'
    : BigInt(wrong.getCurrentStreamRevision());
};

/** Throws `CallFailed` when the append was neither stored nor in conflict. */
export const appendResponse = (response: BatchAppendResp): AppendResponse => {
  const success = response.getSuccess();
  if (success !== undefined) {
    const position = success.getPosition()?.getCommitPosition();
    return {
      _tag: 'Stored',
      revision: BigInt(success.getCurrentRevision()),
      position: position === undefined ? undefined : BigInt(position),
    };
  }
  const error = response.getError();
  if (error === undefined) throw new CallFailed('permanent', 'EventStoreDB sent an empty response to an append');
  if (error.getMessage() === 'WrongExpectedVersion') return { _tag: 'WrongRevision', actual: actualIn(error) };
  throw statusFailed(error.getMessage());
};
