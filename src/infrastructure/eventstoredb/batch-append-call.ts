import { randomUUID } from 'node:crypto';
import streams, { type BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import type { NewEvent, Position } from '../../event-sourcing/recorded-event.js';
import type { Append } from '../../event-sourcing/whole-log/log-target.js';
import { streamIdentifier } from './append-call.js';
import type { Node } from './node.js';

const uuidOf = (id: string): InstanceType<typeof shared.UUID> => {
  const uuid = new shared.UUID();
  uuid.setString(id);
  return uuid;
};

const proposal = ({
  id,
  type,
  data,
  metadata,
}: NewEvent): InstanceType<typeof streams.BatchAppendReq.ProposedMessage> => {
  const message = new streams.BatchAppendReq.ProposedMessage();
  message.setId(uuidOf(id));
  message.getMetadataMap().set('type', type).set('content-type', 'application/json');
  message.setData(Buffer.from(data));
  message.setCustomMetadata(Buffer.from(metadata));
  return message;
};

const requestOf = (correlation: string, { stream, expected, events }: Append) => {
  const options = new streams.BatchAppendReq.Options();
  options.setStreamIdentifier(streamIdentifier(stream));
  if (expected === 'no-stream') options.setNoStream(new empty.Empty());
  else options.setStreamPosition(expected.toString());
  const request = new streams.BatchAppendReq();
  request.setCorrelationId(uuidOf(correlation));
  request.setOptions(options);
  request.setProposedMessagesList(events.map(proposal));
  request.setIsFinal(true);
  return request;
};

const positionIn = (response: BatchAppendResp): Position | undefined => {
  const position = response.getSuccess()?.getPosition()?.getCommitPosition();
  return position === undefined ? undefined : BigInt(position);
};

/**
 * Appends that follow each other without waiting, over one call: the server takes them off it one by one, in order
 * (its Streams.BatchAppend.cs). Gives the position of each that was confirmed. Of the others the outcome is unknown;
 * the first failure, or a silence of `silence` milliseconds, ends the call. Never rejects.
 */
export const callBatchAppend = (
  node: Node,
  appends: ReadonlyArray<Append>,
  silence: number,
): Promise<ReadonlyArray<Position | undefined>> =>
  new Promise((resolve) => {
    const positions: Array<Position | undefined> = appends.map(() => undefined);
    const places = new Map(appends.map((_, index) => [randomUUID() as string, index]));
    const call = node.streams.batchAppend(node.metadata());
    const timer = setTimeout(() => call.cancel(), silence);
    call.on('data', (response: BatchAppendResp) => {
      timer.refresh();
      const correlation = response.getCorrelationId()?.getString() ?? '';
      const place = places.get(correlation);
      const position = positionIn(response);
      if (place === undefined || position === undefined) {
        call.cancel();
        return;
      }
      places.delete(correlation);
      positions[place] = position;
      // half-closed, the server would keep the call
      if (places.size === 0) call.cancel();
    });
    // 'status' tells the same; unheard, the error would end the process
    call.on('error', () => undefined);
    call.on('status', () => {
      clearTimeout(timer);
      resolve(positions);
    });
    for (const [correlation, place] of places) {
      const append = appends[place];
      if (append !== undefined) call.write(requestOf(correlation, append));
    }
  });
