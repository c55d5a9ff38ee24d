import type { Socket } from 'node:net';
import { Connection } from './connection.js';

export type ConnectionLimits = {
  /** Connections at once. */
  readonly connections: number;
  /** Connections at once of one address; undefined: as many as of all. */
  readonly perAddress?: number | undefined;
  /** A client that moves next to nothing for so long while it is its turn is cut off, ms. */
  readonly stallMs: number;
};

export type Connections = {
  /** Takes a new connection; it may cost another one its place, or be closed at once. */
  readonly accept: (socket: Socket) => void;
  readonly destroyAll: () => void;
  readonly stop: () => void;
};

/** Of those that answer a request, one that has moved something within this time keeps its place, ms. */
const KEEPS_PLACE = 1_000;

const OBSERVE_INTERVAL = 500;

/** The one that has been of no use for the longest, and for at least `leastMs`. */
const slowest = (connections: ReadonlyArray<Connection>, leastMs: number): Connection | undefined => {
  let [found, longest]: [Connection | undefined, number] = [undefined, leastMs];
  for (const connection of connections) {
    const stalled = connection.stalledFor();
    if (stalled >= longest) [found, longest] = [connection, stalled];
  }
  return found;
};

/** Rather one without a request than one with, and rather the one that has been of no use for longest. */
const victimOf = (connections: ReadonlyArray<Connection>): Connection | undefined =>
  slowest(
    connections.filter(({ isVacant }) => isVacant),
    0,
  ) ?? slowest(connections, KEEPS_PLACE);

/** All connections of a server. `onCut` is told why one was cut. */
export const makeConnections = (
  { connections: most, perAddress, stallMs }: ConnectionLimits,
  onCut: (reason: string) => void,
): Connections => {
  const open = new Map<Connection, Socket>();

  const makeRoom = (among: ReadonlyArray<Connection>, limit: number, reason: string): boolean => {
    if (among.length < limit) return true;
    const victim = victimOf(among);
    if (victim === undefined) return false;
    victim.cut(reason);
    open.delete(victim);
    return true;
  };

  const ofAddress = (address: string): ReadonlyArray<Connection> =>
    [...open.keys()].filter((connection) => connection.address === address);

  const isAdmitted = (address: string): boolean =>
    (perAddress === undefined || makeRoom(ofAddress(address), perAddress, 'too many connections of its address')) &&
    (open.size < most || makeRoom([...open.keys()], most, 'too many connections'));

  const observe = setInterval(
    () => {
      for (const connection of open.keys()) {
        connection.observe();
        if (!connection.isVacant && connection.stalledFor() > stallMs) connection.cut('no progress');
      }
    },
    Math.min(OBSERVE_INTERVAL, stallMs),
  ).unref();

  return {
    accept: (socket) => {
      const connection = new Connection(socket);
      if (!isAdmitted(connection.address)) {
        onCut('refused: all connections are in use');
        socket.destroy();
        return;
      }
      open.set(connection, socket);
      socket.once('close', () => {
        open.delete(connection);
        if (connection.cutFor !== undefined) onCut(connection.cutFor);
      });
    },
    destroyAll: () => {
      for (const socket of open.values()) socket.destroy();
    },
    stop: () => clearInterval(observe),
  };
};
