import type { ConnectionEvent } from '../../event-sourcing/connection-event.js';

/** Only losses, and why: that the connection is back shows in the command's progress. */
const describe = (event: ConnectionEvent): string | undefined => {
  if (!('cause' in event)) return undefined;
  return event.cause instanceof Error ? `event log: ${event.cause.message}` : 'event log: connection lost';
};

/** Prints a message once until another comes: while the log is away it is asked several times a second. */
export const makePrintConnectionEvents = (print: (message: string) => void): ((event: ConnectionEvent) => void) => {
  let last: string | undefined;
  return (event) => {
    const message = describe(event);
    if (message === undefined || message === last) return;
    last = message;
    print(message);
  };
};
