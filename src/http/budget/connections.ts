import type { Socket } from 'node:net';
import { Connection } from './connection.js';
import { noteArrival } from './loop-turns.js';

export type ConnectionLimits = {
  /** Connections at once. */
  readonly connections: number;
  /** Connections at once of one address; undefined: as many as of all. */
  readonly perAddress?: number | undefined;
  /** A client that moves next to nothing for so long while it is its turn is cut off, ms. */
  readonly stallMs: number;
};

export type Connections = {
  /** Takes a new connection; it may cost another one its place, have to wait for one, or be closed. */
  readonly accept: (socket: Socket) => void;
  readonly destroyAll: () => void;
  readonly stop: () => void;
};

/** One that answers a request and moved something within this time keeps its place from one that has just come, ms. */
const KEEPS_PLACE = 1_000;
/** So does one that had a request to answer within this time. */
const IDLE_KEEPS_PLACE = 250;
/** A new one waits so long for a place that is of no use, ms; then an idle one has to give way, however short its pause. */
const WAITS = 1_000;
/** New ones that wait at once; with one more, the one that came first is refused. */
const MAX_WAITING = 16;

const OBSERVE_INTERVAL = 500;
const POLL_INTERVAL = 100;

const longest = (connections: ReadonlyArray<Connection>): Connection | undefined => {
  let [found, most]: readonly [Connection | undefined, number] = [undefined, -1];
  for (const connection of connections) {
    const stalled = connection.stalledFor();
    if (stalled > most) [found, most] = [connection, stalled];
  }
  return found;
};

/** The one that has been of no use for the longest, if it has been for long enough to lose its place. */
const slowest = (connections: ReadonlyArray<Connection>): Connection | undefined =>
  longest(connections.filter((each) => each.stalledFor() >= (each.isVacant ? IDLE_KEEPS_PLACE : KEEPS_PLACE)));

/** The one that has had no request to answer for the longest, however short that is. */
const idlest = (connections: ReadonlyArray<Connection>): Connection | undefined =>
  longest(connections.filter(({ isVacant }) => isVacant));

type Newcomer = { readonly connection: Connection; readonly since: number; readonly letIn: () => void };

/** All connections of a server. `onCut` is told why one was cut. */
export const makeConnections = (
  { connections: most, perAddress, stallMs }: ConnectionLimits,
  onCut: (reason: string) => void,
): Connections => {
  const open = new Map<Connection, Socket>();
  /** Those of them that have no place yet, in the order in which they came. */
  let waiting: ReadonlyArray<Newcomer> = [];
  let polling: NodeJS.Timeout | undefined;

  const placed = (): ReadonlyArray<Connection> => {
    const newcomers = new Set(waiting.map(({ connection }) => connection));
    return [...open.keys()].filter((connection) => !newcomers.has(connection));
  };

  const cut = (connection: Connection, reason: string): void => {
    open.delete(connection);
    connection.cut(reason);
  };

  /** Whether there is a place, after `victim` has lost its own if there was none. */
  const hasPlace = (victim: (placed: ReadonlyArray<Connection>) => Connection | undefined): boolean => {
    if (open.size - waiting.length < most) return true;
    const found = victim(placed());
    if (found !== undefined) cut(found, 'too many connections');
    return found !== undefined;
  };

  const leave = (newcomer: Newcomer): void => {
    waiting = waiting.filter((each) => each !== newcomer);
    if (waiting.length > 0) return;
    clearInterval(polling);
    polling = undefined;
  };

  /** The last to come is the first to be let in: whoever comes behind hundreds of others need not wait for all of them. */
  const letIn = (): void => {
    const now = performance.now();
    let isFull = false;
    for (const newcomer of waiting.toReversed()) {
      const isLate = now - newcomer.since >= WAITS;
      if (isFull && !isLate) continue;
      const found = hasPlace((connections) => slowest(connections) ?? (isLate ? idlest(connections) : undefined));
      isFull = !found;
      if (!found && !isLate) continue;
      leave(newcomer);
      if (found) newcomer.letIn();
      else cut(newcomer.connection, 'refused: all connections are in use');
    }
  };

  const wait = (connection: Connection): void => {
    waiting = [...waiting, { connection, since: performance.now(), letIn: connection.holdBack() }];
    polling ??= setInterval(letIn, POLL_INTERVAL).unref();
    const [first] = waiting;
    if (first === undefined || waiting.length <= MAX_WAITING) return;
    leave(first);
    cut(first.connection, 'refused: all connections are in use');
  };

  /** An address that has its number makes room among its own. */
  const isAllowed = ({ address }: Connection): boolean => {
    if (perAddress === undefined) return true;
    const own = [...open.keys()].filter((connection) => connection.address === address);
    if (own.length < perAddress) return true;
    const victim = idlest(own) ?? slowest(own);
    if (victim !== undefined) cut(victim, 'too many connections of its address');
    return victim !== undefined;
  };

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
      noteArrival();
      const connection = new Connection(socket);
      socket.once('close', () => {
        open.delete(connection);
        const newcomer = waiting.find((each) => each.connection === connection);
        if (newcomer !== undefined) leave(newcomer);
        letIn();
        if (connection.cutFor !== undefined) onCut(connection.cutFor);
      });
      if (!isAllowed(connection)) {
        connection.cut('refused: all connections of its address are in use');
        return;
      }
      const isPlaced = waiting.length === 0 && hasPlace(slowest);
      open.set(connection, socket);
      if (!isPlaced) wait(connection);
    },
    destroyAll: () => {
      for (const socket of open.values()) socket.destroy();
    },
    stop: () => {
      clearInterval(observe);
      clearInterval(polling);
    },
  };
};
