import type { ConnectionEvent } from '../../event-sourcing/connection-event.js';

/** Describes only losses and their causes: the command's progress shows that the connection is back. */
const describe = (event: ConnectionEvent): string | undefined => {
  if (!('cause' in event)) return undefined;
  return event.cause instanceof Error ? `event log: ${event.cause.message}` : 'event log: connection lost';
};

/** Prints a message only when it differs from the last: a log that is away is asked several times a second. */
export const makePrintConnectionEvents = (print: (message: string) => void): ((event: ConnectionEvent) => void) => {
  let last: string | undefined;
  return (event) => {
    const message = describe(event);
    if (message === undefined || message === last) return;
    last = message;
    print(message);
  };
};
