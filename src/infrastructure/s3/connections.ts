import http from 'node:http';
import https from 'node:https';

/** More requests than this wait for a connection, for as long as one may wait to be made. */
const CONNECTIONS = 128;
const IDLE_CONNECTIONS = 16;

export type Connections = {
  readonly agent: http.Agent;
  readonly request: typeof http.request;
  /** Ends the connections that no request is using. */
  readonly close: () => void;
};

/** Keeps connections alive between requests; `request` is Node's own for the scheme. */
export const openConnections = (isSecure: boolean): Connections => {
  const { Agent, request } = isSecure ? https : http;
  const agent = new Agent({
    keepAlive: true,
    maxSockets: CONNECTIONS,
    maxFreeSockets: IDLE_CONNECTIONS,
    scheduling: 'lifo',
  });
  return { agent, request, close: () => agent.destroy() };
};
