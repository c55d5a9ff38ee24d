import shared from '@eventstore/db-client/generated/shared_pb.js';

export const streamIdentifier = (stream: string): InstanceType<typeof shared.StreamIdentifier> => {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream));
  return identifier;
};

export const uuidOf = (id: string): InstanceType<typeof shared.UUID> => {
  const uuid = new shared.UUID();
  uuid.setString(id);
  return uuid;
};
