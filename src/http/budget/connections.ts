import type { Socket } from 'node:net';
import type { Cancel, Clock } from '../../event-sourcing/clock.js';
import { Connection } from './connection.js';
import { makeTimeSlices } from './time-slice.js';

export type ConnectionLimits = {
  /** Connections at once. */
  readonly connections: number;
  /** Connections at once of one address, of IPv6 of one /64; undefined: as many as of all. */
  readonly perAddress?: number | undefined;
  /** A connection that makes no progress for this long while we wait for its client is cut, ms. */
  readonly stallMs: number;
};

export type Connections = {
  /** Takes a new connection: another one may be evicted for it, it may have to wait, or it is closed. */
  readonly accept: (socket: Socket) => void;
  readonly destroyAll: () => void;
  readonly stop: () => void;
};

/** A busy connection may be evicted for a new one after this long without progress, ms. */
const EVICT_STALLED_AFTER = 1_000;
/** An idle one, after this long without a request, ms. */
const EVICT_IDLE_AFTER = 250;
/** A new one waits this long for one that may be evicted, ms; then it evicts the longest idle one, or is refused. */
const WAIT_TIMEOUT = 1_000;
/** New ones that wait at once; with one more, the oldest is refused. */
const MAX_WAITING = 16;

const OBSERVE_INTERVAL = 500;
const POLL_INTERVAL = 100;

const longest = (connections: ReadonlyArray<Connection>, now: number): Connection | undefined => {
  let [found, most]: readonly [Connection | undefined, number] = [undefined, -1];
  for (const connection of connections) {
    const stalled = connection.stalledFor(now);
    if (stalled > most) [found, most] = [connection, stalled];
  }
  return found;
};

/** The one that has made no progress for longest, if that is long enough to be evicted. */
const slowest = (connections: ReadonlyArray<Connection>, now: number): Connection | undefined =>
  longest(
    connections.filter((each) => each.stalledFor(now) >= (each.isIdle ? EVICT_IDLE_AFTER : EVICT_STALLED_AFTER)),
    now,
  );

/** The one that has had no request for longest, however short that is. */
const idlest = (connections: ReadonlyArray<Connection>, now: number): Connection | undefined =>
  longest(
    connections.filter(({ isIdle }) => isIdle),
    now,
  );

type Newcomer = { readonly connection: Connection; readonly since: number; readonly admit: () => void };

type Hooks = {
  /** Called with the reason for which a connection was cut. */
  readonly onCut: (reason: string) => void;
  /** Called with the error by which one ended within a request. */
  readonly onLost: (error: Error) => void;
};

/** All connections of a server. */
export const makeConnections = (
  clock: Clock,
  { connections: most, perAddress, stallMs }: ConnectionLimits,
  { onCut, onLost }: Hooks,
): Connections => {
  const slices = makeTimeSlices(clock);
  const open = new Map<Connection, Socket>();
  /** Those of them that are not admitted yet, in the order in which they came. */
  let waiting: ReadonlyArray<Newcomer> = [];
  let polling: Cancel | undefined;

  const admitted = (): ReadonlyArray<Connection> => {
    const newcomers = new Set(waiting.map(({ connection }) => connection));
    return [...open.keys()].filter((connection) => !newcomers.has(connection));
  };

  const cut = (connection: Connection, reason: string): void => {
    open.delete(connection);
    connection.cut(reason);
  };

  /** Whether one more may be admitted, after an eviction if need be; for one that is late, of any that is idle. */
  const makeRoom = (now: number, isLate: boolean): boolean => {
    if (open.size - waiting.length < most) return true;
    const all = admitted();
    const found = slowest(all, now) ?? (isLate ? idlest(all, now) : undefined);
    if (found !== undefined) cut(found, 'too many connections');
    return found !== undefined;
  };

  const leave = (newcomer: Newcomer): void => {
    waiting = waiting.filter((each) => each !== newcomer);
    if (waiting.length > 0) return;
    polling?.();
    polling = undefined;
  };

  /**
   * `now`: what had come by then has been read. The newest is admitted first: a client that comes behind hundreds of
   * others need not wait for all of them.
   */
  const admitWaiting = (now: number): void => {
    let isFull = false;
    for (const newcomer of waiting.toReversed()) {
      const isLate = now - newcomer.since >= WAIT_TIMEOUT;
      if (isFull && !isLate) continue;
      const found = makeRoom(now, isLate);
      isFull = !found;
      if (!found && !isLate) continue;
      leave(newcomer);
      if (found) newcomer.admit();
      else cut(newcomer.connection, 'refused: all connections are in use');
    }
  };

  /** A process that was busy for a while has not read yet what clients sent meanwhile: they are not idle. */
  const admitOnceRead = (): void => {
    const now = clock.monotonic();
    clock.soon(() => admitWaiting(now));
  };

  const wait = (connection: Connection): void => {
    waiting = [...waiting, { connection, since: clock.monotonic(), admit: connection.awaitAdmission() }];
    // what is behind the new one among the events of this iteration is read before the next one
    clock.soon(admitOnceRead);
    polling ??= clock.every(POLL_INTERVAL, admitOnceRead, { isBackground: true });
    const [first] = waiting;
    if (first === undefined || waiting.length <= MAX_WAITING) return;
    leave(first);
    cut(first.connection, 'refused: all connections are in use');
  };

  /** An address that has as many as it may have makes room among its own. */
  const isAllowed = ({ network }: Connection): boolean => {
    if (perAddress === undefined) return true;
    const own = [...open.keys()].filter((connection) => connection.network === network);
    if (own.length < perAddress) return true;
    const now = clock.monotonic();
    const victim = idlest(own, now) ?? slowest(own, now);
    if (victim !== undefined) cut(victim, 'too many connections of its address');
    return victim !== undefined;
  };

  const unobserve = clock.every(
    Math.min(OBSERVE_INTERVAL, stallMs),
    () => {
      for (const connection of open.keys()) {
        connection.observe();
        if (!connection.isIdle && connection.stalledFor() > stallMs) connection.cut('no progress');
      }
    },
    { isBackground: true },
  );

  return {
    accept: (socket) => {
      slices.noteArrival();
      const connection = new Connection(clock, slices, socket);
      socket.once('error', (error) => {
        if (!connection.isIdle) onLost(error);
      });
      socket.once('close', () => {
        open.delete(connection);
        const newcomer = waiting.find((each) => each.connection === connection);
        if (newcomer !== undefined) leave(newcomer);
        if (waiting.length > 0) admitOnceRead();
        if (connection.cutFor !== undefined) onCut(connection.cutFor);
      });
      if (!isAllowed(connection)) {
        connection.cut('refused: all connections of its address are in use');
        return;
      }
      const hasRoom = open.size < most;
      open.set(connection, socket);
      if (!hasRoom) wait(connection);
    },
    destroyAll: () => {
      for (const socket of open.values()) socket.destroy();
    },
    stop: () => {
      unobserve();
      polling?.();
    },
  };
};
