import type { ConnectionEvent } from '../../event-sourcing/connection-event.js';

/** What an operator wants to know of a connection: that it is lost, and why. Its healing shows by itself. */
const describe = (event: ConnectionEvent): string | undefined => {
  if (!('cause' in event)) return undefined;
  return event.cause instanceof Error ? `event log: ${event.cause.message}` : 'event log: connection lost';
};

/** Tells each kind of trouble once, until another comes: a log that is away is asked several times a second. */
export const makePrintConnectionEvents = (tell: (message: string) => void): ((event: ConnectionEvent) => void) => {
  let told: string | undefined;
  return (event) => {
    const message = describe(event);
    if (message === undefined || message === told) return;
    told = message;
    tell(message);
  };
};
