import type { Occupant } from './occupant.js';
import type { Owner } from '../process-liveness.js';

type Verdict = 'start' | 'join' | 'replace' | 'wait' | 'refuse';

/**
 * What a launcher that has no server of its own does about the one it finds.
 *
 * A service always runs a server that it started itself, so the server's life is the service's life and nobody else's
 * end can take it away; only operators' commands join. Hence a service waits for the end of a command that had to start
 * its own server, and a server whose owner is dead (its watchdog was killed too, or is about to stop it) is stopped
 * and started anew rather than joined: that takes a tenth of a second, and no orphan outlives the next start.
 */
export const verdict = (us: Owner, occupant: Occupant): Verdict => {
  switch (occupant._tag) {
    case 'Nobody':
      return 'start';
    case 'Changing':
      return 'wait';
    case 'Serving':
      if (occupant.owner === undefined) return us.claim === 'operator' ? 'join' : 'refuse';
      if (!occupant.ownerLives || occupant.owner.mark === us.mark) return 'replace';
      if (us.claim === 'operator') return 'join';
      return occupant.owner.claim === 'operator' ? 'wait' : 'refuse';
  }
};
