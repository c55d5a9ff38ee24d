import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { StoredEvent, StreamName } from '../../event-sourcing/recorded-event.js';

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

/** The event of an answer, its texts as they were stored; nothing when the answer is no event. */
export const storedEventOf = (response: ReadResp): StoredEvent | undefined => {
  const event = response.getEvent()?.getEvent();
  if (event === undefined) return undefined;
  return {
    id: event.getId()?.getString() ?? '',
    type: event.getMetadataMap().get('type') ?? '',
    data: textOf(event.getData_asU8()),
    metadata: textOf(event.getCustomMetadata_asU8()),
    // reason: we ask for streams of this form only
    stream: textOf(event.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array()) as StreamName,
    revision: BigInt(event.getStreamRevision()),
    position: BigInt(event.getCommitPosition()),
  };
};

/** The database's own records (`$streamDeleted`, `$metadata`, …) may lie between ours. */
export const isOurs = ({ type }: StoredEvent): boolean => !type.startsWith('$');

export const bytesOf = ({ data, metadata }: StoredEvent): number => data.length + metadata.length;
