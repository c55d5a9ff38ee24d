import type { Incident } from '../../infrastructure/open-stores.js';

/** What an operator wants to know of a connection: that it is lost, and why. Its healing shows by itself. */
const describe = (incident: Incident): string | undefined => {
  const what = 'kind' in incident ? incident.kind : incident._tag;
  if (what === 'connected' || what === 'reconnected' || what === 'watchdog') return undefined;
  const cause = 'cause' in incident ? incident.cause : undefined;
  return cause instanceof Error ? `event log: ${cause.message}` : 'event log: connection lost';
};

/** Tells each kind of trouble once, until another comes: a log that is away is asked several times a second. */
export const makeTellIncident = (tell: (message: string) => void): ((incident: Incident) => void) => {
  let told: string | undefined;
  return (incident) => {
    const message = describe(incident);
    if (message === undefined || message === told) return;
    told = message;
    tell(message);
  };
};
