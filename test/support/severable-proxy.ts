import { once } from 'node:events';
import net from 'node:net';

/** A way to a server that can be cut where it hurts. */
export type SeverableProxy = {
  /** The given URL, by way of the proxy. */
  readonly url: string;
  /** Cuts all connections, and refuses new ones until `mend`. */
  readonly sever: () => void;
  /** Cuts all connections, and takes new ones without a word until `mend`. */
  readonly mute: () => void;
  /** Passes nothing on over the connections that are open, and closes none of them; new ones work. */
  readonly freeze: () => void;
  /** Passes nothing on, over open connections and new ones, until `mend`; then everything. A server that pauses. */
  readonly stall: () => void;
  readonly mend: () => void;
  /** Cuts a connection with the next word of its server, which is then not passed on: the request did arrive. */
  readonly loseNextAnswer: () => void;
  readonly close: () => Promise<void>;
};

export const startSeverableProxy = async (target: string): Promise<SeverableProxy> => {
  const { hostname, port } = new URL(target);
  const open = new Set<net.Socket>();
  let isSevered = false;
  let isMute = false;
  let isStalled = false;
  let losesAnswer = false;

  const hold = (...sockets: ReadonlyArray<net.Socket>): void => {
    for (const socket of sockets) socket.pause();
  };

  const cut = (...sockets: ReadonlyArray<net.Socket>): void => {
    for (const socket of sockets) socket.destroy();
  };

  const server = net.createServer((client) => {
    if (isSevered) {
      cut(client);
      return;
    }
    if (isMute) {
      open.add(client);
      client.on('error', () => undefined);
      client.resume();
      return;
    }
    const upstream = net.connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        cut(client, upstream);
      });
    }
    client.pipe(upstream);
    if (isStalled) hold(client, upstream);
    upstream.on('data', (answer) => {
      if (losesAnswer) {
        losesAnswer = false;
        cut(client, upstream);
      } else client.write(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // reason: a TCP server that listens has such an address
  const { port: ownPort } = server.address() as net.AddressInfo;
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(ownPort);

  return {
    url: url.href,
    sever: () => {
      isSevered = true;
      cut(...open);
    },
    mute: () => {
      isMute = true;
      cut(...open);
    },
    freeze: () => {
      hold(...open);
    },
    stall: () => {
      isStalled = true;
      hold(...open);
    },
    mend: () => {
      isSevered = false;
      isMute = false;
      if (isStalled) for (const socket of open) socket.resume();
      isStalled = false;
    },
    loseNextAnswer: () => {
      losesAnswer = true;
    },
    close: async () => {
      cut(...open);
      server.close();
      await once(server, 'close');
    },
  };
};
