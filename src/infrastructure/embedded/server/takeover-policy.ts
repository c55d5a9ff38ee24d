import type { Owner } from '../../process-liveness.js';
import type { RunningServer } from './running-server.js';

type Action = 'start' | 'join' | 'replace' | 'wait' | 'fail';

/**
 * What a launcher without a server of its own does about the server that it finds in its data directory.
 *
 * A service always runs a server that it has started itself, so that no other process can take it away by ending. Only
 * operators' commands join a server; a service waits for the end of a command that has started its own.
 * A server whose owner is dead is stopped and replaced, which takes a tenth of a second: its watchdog is about to stop
 * it, or was killed too and the server would run for ever.
 */
export const takeoverAction = (us: Owner, running: RunningServer): Action => {
  switch (running._tag) {
    case 'None':
      return 'start';
    case 'StartingOrStopping':
      return 'wait';
    case 'Ready':
      if (running.owner === undefined) return us.processKind === 'operator' ? 'join' : 'fail';
      if (!running.isOwnerAlive || running.owner.launchId === us.launchId) return 'replace';
      if (us.processKind === 'operator') return 'join';
      return running.owner.processKind === 'operator' ? 'wait' : 'fail';
  }
};
