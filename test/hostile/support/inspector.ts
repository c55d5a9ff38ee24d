/**
 * A client of V8's inspector, as thin as it can be. It measures what a process holds after its garbage has been collected,
 * without a request to the service and also while its event loop is busy.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Duplex } from 'node:stream';

/** Bytes. */
export type Heap = {
  readonly used: number;
  /** Memory outside of the heap that belongs to objects in it: mostly Buffers. */
  readonly external: number;
  /** Beyond this the process is ended. */
  readonly limit: number;
};

export type Inspector = {
  readonly heap: () => Promise<Heap>;
  readonly collectGarbage: () => Promise<void>;
  readonly close: () => void;
};

type Reply = { readonly id?: number; readonly result?: { readonly result?: { readonly value?: string } } };

const TEXT_FRAME = 0x81;
const MASKED = 0x80;
const LENGTH_OF_TWO_BYTES = 126;

/** One frame with a text of less than 64 KiB (RFC 6455 §5.2). The mask of zeros leaves the text as it is. */
const frameOf = (text: string): Buffer => {
  const payload = Buffer.from(text);
  const head = Buffer.from([TEXT_FRAME, MASKED | LENGTH_OF_TWO_BYTES, 0, 0, 0, 0, 0, 0]);
  head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
};

/** The payload of the first frame of some bytes, and where the next one begins; undefined while it is not complete. */
const payloadIn = (bytes: Buffer): { readonly text: string; readonly end: number } | undefined => {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 0x7f;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < start) return undefined;
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const end = start + length;
  return bytes.length < end ? undefined : { text: bytes.toString('utf8', start, end), end };
};

const connect = async (url: string): Promise<Duplex> => {
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    'Sec-WebSocket-Version': '13',
  };
  const [, socket] = (await once(request(url, { headers }).end(), 'upgrade')) as [unknown, Duplex]; // reason: documented
  return socket;
};

/** Replies by the id of their command; all of them undefined once the connection has ended. */
const receive = (socket: Duplex, settle: (id: number, reply: Reply) => void, end: () => void): void => {
  let bytes = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (let frame = payloadIn(bytes); frame !== undefined; frame = payloadIn(bytes)) {
      bytes = bytes.subarray(frame.end);
      const reply = JSON.parse(frame.text) as Reply; // reason: the inspector's protocol
      if (reply.id !== undefined) settle(reply.id, reply);
    }
  });
  socket.on('error', end).on('close', end);
};

const STATISTICS = "JSON.stringify(process.getBuiltinModule('v8').getHeapStatistics())";

/** Connects to the inspector at a `ws:` address. What is asked of a process that has ended rejects. */
export const connectInspector = async (address: string): Promise<Inspector> => {
  const socket = await connect(address.replace('ws:', 'http:'));
  const waiting = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>();
  let last = 0;
  const gone = (): Error => new Error('the inspected process has ended');
  const settle = (id: number, reply: Reply): void => {
    waiting.get(id)?.resolve(reply);
    waiting.delete(id);
  };
  receive(socket, settle, () => {
    for (const { reject } of waiting.values()) reject(gone());
    waiting.clear();
  });
  const ask = (method: string, params: object = {}): Promise<Reply> =>
    new Promise((resolve, reject) => {
      if (socket.destroyed) {
        reject(gone());
        return;
      }
      last += 1;
      waiting.set(last, { resolve, reject });
      socket.write(frameOf(JSON.stringify({ id: last, method, params })));
    });
  return {
    heap: async () => {
      const { result } = await ask('Runtime.evaluate', { expression: STATISTICS });
      const { used_heap_size, external_memory, heap_size_limit } = JSON.parse(result?.result?.value ?? '') as Readonly<
        Record<string, number>
      >; // reason: Node documents these keys
      return { used: used_heap_size!, external: external_memory!, limit: heap_size_limit! };
    },
    collectGarbage: async () => {
      await ask('HeapProfiler.collectGarbage');
    },
    close: () => void socket.destroy(),
  };
};
