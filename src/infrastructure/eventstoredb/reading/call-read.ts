import type { ClientReadableStream } from '@grpc/grpc-js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { Node } from '../connection/node.js';
import { decodeReadMessage, type ReadMessage } from './read-response.js';

const { path, requestSerialize } = streamsGrpc.StreamsService.read;

/** Begins a read. Throws `CallFailed` when the node has been closed. */
export const callRead = (node: Node, request: ReadReq): ClientReadableStream<ReadMessage> =>
  node.streams.makeServerStreamRequest(path, requestSerialize, decodeReadMessage, request, node.metadata());
