import type { Duplex } from 'node:stream';

type DataListener = (chunk: Buffer) => void;

/** The driver's own reader of a socket that was taken over. */
type DriverReader = {
  /** Hands one or more whole messages of the server to the driver. */
  readonly read: (messages: Buffer) => void;
  /** Lets the driver read the socket again, beginning with `unread`. */
  readonly giveBack: (unread: Buffer) => void;
};

/** Has `listener` read a connection's socket instead of the driver. */
export const takeOverSocket = (socket: Duplex, listener: DataListener): DriverReader => {
  // reason: the driver registers one reader of its socket, its parser, which takes a Buffer
  const read = socket.listeners('data')[0] as DataListener;
  socket.removeListener('data', read);
  socket.on('data', listener);
  return {
    read,
    giveBack: (unread) => {
      socket.removeListener('data', listener);
      socket.on('data', read);
      read(unread);
      socket.resume();
    },
  };
};
